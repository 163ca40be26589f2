package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// compile builds C++ sources of bench/cpp with the libtorch found by pkg-config: a shared
// library if the name ends in .so, otherwise a program. The result is in a directory
// named after a digest of the sources, headers and options, so it is rebuilt only after
// one of them has changed.
func (b *Toolbox) compile(name string, sources []string, headers ...string) (string, error) {
	flags, err := b.output("pkg-config", "--cflags", "libtorch")
	if err != nil {
		return "", err
	}
	libraries, err := b.output("pkg-config", "--libs", "libtorch")
	if err != nil {
		return "", err
	}
	// cgotorch/c10d has replacements for Gloo's headers.
	options := []string{
		"-O2", "-std=c++20", "-fPIC", "-pthread", "-DUSE_DISTRIBUTED", "-DUSE_C10D_GLOO",
		"-I" + b.path("cgotorch/c10d"),
	}
	digest := sha256.New()
	digest.Write([]byte(flags + libraries + strings.Join(options, " ")))
	for _, file := range append(headers, sources...) {
		text, err := os.ReadFile(b.path("bench/cpp", file))
		if err != nil {
			return "", err
		}
		digest.Write(text)
	}
	folder := filepath.Join(b.build, "cpp-"+hex.EncodeToString(digest.Sum(nil))[:12])
	result := filepath.Join(folder, name)
	if _, err := os.Stat(result); err == nil {
		return result, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}

	objects := make([]string, len(sources))
	errs := make([]error, len(sources))
	var wait sync.WaitGroup
	for i, source := range sources {
		objects[i] = filepath.Join(folder, source+".o")
		wait.Go(func() {
			args := append([]string{"-c", b.path("bench/cpp", source), "-o", objects[i]}, options...)
			errs[i] = run(exec.Command("g++", append(args, strings.Fields(flags)...)...))
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	args := append([]string{"-pthread", "-o", result}, objects...)
	if strings.HasSuffix(name, ".so") {
		args = append(args, "-shared")
	}
	return result, run(exec.Command("g++", append(args, strings.Fields(libraries)...)...))
}
