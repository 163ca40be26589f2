package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

const module = "github.com/gotorch/gotorch"

// source is a copy of gotorch's source.
type source struct {
	dir     string
	version string // "" for a checkout
}

// findSource returns the source that the module in the working directory uses. Outside such
// a module it is the source of this command's own version.
func findSource() (source, error) {
	var of struct {
		Dir, Version string
		Main         bool
		Replace      *struct{ Dir string }
	}
	version := ownVersion()
	out, err := goTool("", "list", "-mod=readonly", "-m", "-json", module)
	if err == nil && json.Unmarshal(out, &of) == nil {
		switch {
		case of.Dir != "" && (of.Main || of.Replace != nil):
			return source{dir: of.Dir}, nil
		case of.Dir != "":
			return source{dir: of.Dir, version: of.Version}, nil
		case of.Version != "":
			version = of.Version // not downloaded yet
		}
	}
	return download("", version)
}

// ownVersion returns the version of this command, or "latest" if it was built in a checkout.
func ownVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") &&
		!strings.Contains(info.Main.Version, "+") {
		return info.Main.Version
	}
	return "latest"
}

// ownSource returns the source of this command. Unlike [findSource], it does not ask the module
// in the working directory, which may be a stranger's: its go.mod can name any source.
func ownSource() (source, error) {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
		if isCheckout(dir) {
			return source{dir: dir}, nil
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return source{}, err
	}
	dir := filepath.Join(cache, "gotorch")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return source{}, err
	}
	return download(dir, ownVersion())
}

// isCheckout reports whether dir has the source of gotorch.
func isCheckout(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && strings.HasPrefix(string(text), "module "+module+"\n")
}

// download returns the source of a version, which the go command downloads in dir.
func download(dir, version string) (source, error) {
	out, err := goTool(dir, "mod", "download", "-json", module+"@"+version)
	var got struct{ Dir, Version, Error string }
	if json.Unmarshal(out, &got) == nil {
		if got.Error != "" {
			return source{}, errors.New(got.Error)
		}
		if got.Dir != "" {
			return source{dir: got.Dir, version: got.Version}, nil
		}
	}
	return source{}, fmt.Errorf("cannot find the source of %s: %w", module, err)
}

// goTool runs the go command in dir, or in the working directory, and returns its output.
func goTool(dir string, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("go", args...)
	if cmd.Dir = dir; dir != "" {
		cmd.Env = append(os.Environ(), "GOWORK=off")
	}
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" {
		err = errors.New(text)
	}
	return out, err
}

// script returns the path of the script that installs libtorch.
func (s source) script() string { return filepath.Join(s.dir, "scripts", "install_libtorch.sh") }

// environment returns the environment for builds. If pkg-config does not find libtorch, but
// the script has installed it, the variables of the script's --print-env are added.
func (s source) environment() []string {
	env := append(os.Environ(), "GOWORK=off")
	if version, _ := libtorchOf(env); version != "" {
		return env
	}
	const printed = `eval "$(bash "$0" --print-env)" && env -0`
	out, err := exec.Command("bash", "-c", printed, s.script()).Output()
	if err != nil {
		return env
	}
	return append(strings.Split(strings.Trim(string(out), "\x00"), "\x00"), "GOWORK=off")
}

// install builds a command of gotorch into a directory and returns the program's path.
// Nothing is compiled twice: the go command finds earlier results in its cache.
func (s source) install(pkg, into string, env []string) (program string, err error) {
	cmd := exec.Command("go", "-C", s.dir, "install", "-mod=readonly", "-buildvcs=false", "./"+pkg)
	cmd.Env = append(env, "GOBIN="+into)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
	}
	return filepath.Join(into, filepath.Base(pkg)), nil
}

// tensors runs the command torch/cmd/tensors, which links libtorch.
func tensors(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s, err := ownSource()
	if err != nil {
		return failed("tensors", err, stderr)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return failed("tensors", err, stderr)
	}
	// The name of the directory contains the source, because the program belongs to it.
	bin := filepath.Join(cache, "gotorch", "bin", strings.ReplaceAll(strings.Trim(s.dir, "/"), "/", "-"))
	if _, err := os.Stat(filepath.Join(bin, "tensors")); err != nil {
		_, _ = fmt.Fprintln(stderr, "gotorch tensors: building the program, which may take a minute or two")
	}
	program, err := s.install("torch/cmd/tensors", bin, s.environment())
	if err != nil {
		return failed("tensors", fmt.Errorf("cannot build the program; gotorch doctor may say why: %w", err), stderr)
	}
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return exit.ExitCode()
	}
	if err != nil {
		return failed("tensors", err, stderr)
	}
	return 0
}
