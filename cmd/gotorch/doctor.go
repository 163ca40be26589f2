package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gotorch/gotorch/internal/sysmem"
)

const doctorUsage = `usage: gotorch doctor [-quick]
Checks what gotorch needs, and prints "ok" or what to do for each part.
Run it in the directory of your module. The exit status is 1 if there is something to do.
`

const (
	leastGo       = "1.26"
	leastGCC      = "12"
	leastLibtorch = "2.11.0"
	leastMemory   = 1 << 30 // bytes that a process with libtorch and a small model needs
)

// A visit collects the findings of one run of the doctor.
type visit struct {
	stdout io.Writer
	env    []string
	source source
	todo   int
}

// doctor checks everything and returns the exit status.
func doctor(args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("doctor", flag.ContinueOnError)
	quick := f.Bool("quick", false, "do not build and run a program that links libtorch")
	if status, ok := parse(f, args, doctorUsage, 0, stderr); !ok {
		return status
	}
	v := &visit{stdout: stdout, env: os.Environ()}
	canBuild := v.system()
	hasGo := v.goCommand()
	canBuild = v.compiler() && hasGo && canBuild
	if hasGo {
		canBuild = v.libtorch() && canBuild
	} else {
		v.skip("libtorch", "not looked for; Go is needed first")
	}
	v.processor()
	v.gpu()
	v.container()
	switch {
	case *quick:
	case !canBuild:
		v.skip("build", "not tried; do the above first")
	default:
		v.build(stderr)
	}
	if v.todo > 0 {
		return 1
	}
	return 0
}

func (v *visit) line(verdict, part, format string, args ...any) {
	_, _ = fmt.Fprintf(v.stdout, "%-4s %-10s %s\n", verdict, part, fmt.Sprintf(format, args...))
}

func (v *visit) ok(part, format string, args ...any) bool {
	v.line("ok", part, format, args...)
	return true
}

func (v *visit) skip(part, format string, args ...any) { v.line("-", part, format, args...) }

// fix reports a problem: first what is wrong, then what to do, on lines of their own.
func (v *visit) fix(part, problem string, todo ...string) bool {
	v.line("FIX", part, "%s", problem)
	for _, t := range todo {
		_, _ = fmt.Fprintf(v.stdout, "%15s %s\n", "", t)
	}
	v.todo++
	return false
}

func (v *visit) system() bool {
	const page = "https://github.com/gotorch/gotorch/blob/main/docs/platforms.md"
	switch at := runtime.GOOS + "/" + runtime.GOARCH; at {
	case "linux/amd64", "linux/arm64":
		return v.ok("system", "%s", at)
	case "darwin/arm64":
		return v.ok("system", "%s; it builds there, but we have never run it: %s", at, page)
	default:
		return v.fix("system", at+" is not supported", "use Linux in a container or a virtual machine: "+page)
	}
}

func (v *visit) goCommand() bool {
	out, err := goTool("", "env", "-json", "GOVERSION", "CGO_ENABLED")
	var of map[string]string
	if err == nil {
		err = json.Unmarshal(out, &of)
	}
	if err != nil {
		return v.fix("Go", "the go command does not run: "+err.Error(),
			"install Go "+leastGo+": https://go.dev/dl/")
	}
	version := strings.TrimPrefix(of["GOVERSION"], "go")
	if older(version, leastGo) {
		return v.fix("Go", version+" is too old", "install Go "+leastGo+" or newer: https://go.dev/dl/")
	}
	if of["CGO_ENABLED"] != "1" {
		return v.fix("Go", version+", but cgo is off",
			"install g++, and do not set CGO_ENABLED=0; go env CGO_ENABLED has to print 1")
	}
	return v.ok("Go", "%s", version)
}

func (v *visit) compiler() bool {
	const todo = "install g++ " + leastGCC + " or newer; on Debian and Ubuntu: apt-get install g++"
	name := "g++"
	if out, err := goTool("", "env", "CXX"); err == nil {
		name = strings.TrimSpace(string(out))
	}
	words := strings.Fields(name)
	if len(words) == 0 {
		return v.fix("compiler", "CXX is empty", todo)
	}
	out, err := exec.Command(words[0], append(words[1:], "--version")...).Output()
	if err != nil {
		return v.fix("compiler", name+" does not run: "+err.Error(), todo)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	if out, err := exec.Command(words[0], append(words[1:], "-dumpfullversion")...).Output(); err == nil &&
		!strings.Contains(first, "clang") && older(strings.TrimSpace(string(out)), leastGCC) {
		return v.fix("compiler", first+" is too old", todo)
	}
	return v.ok("compiler", "%s", first)
}

// libtorchOf asks pkg-config for libtorch's version and directory. The version is "" if
// pkg-config or libtorch is missing.
func libtorchOf(env []string) (version, root string) {
	tool := "pkg-config"
	for _, e := range env {
		if name, value, _ := strings.Cut(e, "="); name == "PKG_CONFIG" && value != "" {
			tool = value
		}
	}
	ask := func(flag string) string {
		cmd := exec.Command(tool, flag, "libtorch")
		cmd.Env = env
		out, err := cmd.Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	if version = ask("--modversion"); version == "" {
		return "", ""
	}
	for _, word := range strings.Fields(ask("--libs")) {
		if dir, ok := strings.CutPrefix(word, "-L"); ok {
			root = filepath.Dir(dir)
		}
	}
	return version, root
}

func (v *visit) libtorch() bool {
	s, err := findSource()
	if err != nil {
		return v.fix("libtorch", err.Error(), "run in your module: go get "+module)
	}
	v.source = s
	version, root := libtorchOf(v.env)
	switch {
	case version == "":
		return v.missing()
	case older(version, leastLibtorch):
		return v.fix("libtorch", version+" is too old; gotorch needs "+leastLibtorch+" or newer", "bash "+s.script())
	}
	for _, dir := range filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "libtorch_cpu.so")); err == nil && dir != filepath.Join(root, "lib") {
			return v.fix("libtorch", version+", but LD_LIBRARY_PATH has another libtorch: "+dir,
				"unset LD_LIBRARY_PATH")
		}
	}
	return v.ok("libtorch", "%s in %s", version, root)
}

// missing reports that builds do not find libtorch.
func (v *visit) missing() bool {
	script := v.source.script()
	v.env = v.source.environment()
	if version, root := libtorchOf(v.env); version != "" {
		v.fix("libtorch", version+" is in "+root+", but this shell does not know it",
			`eval "$(bash `+script+` --print-env)"`)
		return true // with the environment from the script a build works
	}
	return v.fix("libtorch", "is not installed", "bash "+script, `eval "$(bash `+script+` --print-env)"`)
}

// processor reports the instructions that libtorch's kernels will use.
func (v *visit) processor() {
	if forced := os.Getenv("ATEN_CPU_CAPABILITY"); forced != "" {
		v.ok("processor", "kernels for %s, as ATEN_CPU_CAPABILITY says", forced)
		return
	}
	info, _ := os.ReadFile("/proc/cpuinfo") // without it, nothing is known
	has := map[string]bool{}
	for line := range strings.Lines(string(info)) {
		name, list, _ := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); name == "flags" || name == "Features" {
			for _, flag := range strings.Fields(list) {
				has[flag] = true
			}
		}
	}
	kernels := "the instructions that every processor has"
	switch {
	case has["avx512vl"] && has["avx512bw"] && has["avx512dq"] && has["fma"]:
		kernels = "AVX-512"
	case has["avx2"] && has["fma"]:
		kernels = "AVX2"
	case has["sve"]:
		kernels = "SVE or NEON"
	case has["asimd"]:
		kernels = "NEON"
	case len(has) == 0:
		kernels = "instructions that libtorch chooses at run time"
	}
	v.ok("processor", "%d cores; libtorch has kernels for %s", runtime.NumCPU(), kernels)
}

func (v *visit) gpu() {
	cards, _ := filepath.Glob("/dev/nvidia[0-9]*") // the pattern is valid
	_, root := libtorchOf(v.env)
	cuda := exists(filepath.Join(root, "lib", "libtorch_cuda.so"))
	switch {
	case len(cards) == 0:
		v.ok("GPU", "none; everything runs on the CPU")
	case !cuda && v.source.dir != "":
		v.fix("GPU", fmt.Sprintf("%d, but libtorch is installed without CUDA", len(cards)),
			"bash "+v.source.script()+" --cuda")
	case !cuda:
		v.skip("GPU", "%d; libtorch is needed first", len(cards))
	default:
		v.ok("GPU", "%d, and libtorch has CUDA", len(cards))
	}
}

func (v *visit) container() {
	limits := fmt.Sprintf("%d goroutines run at the same time", runtime.GOMAXPROCS(0))
	group, limited := sysmem.Tightest()
	switch {
	case !limited:
		v.ok("limits", "%s; no memory limit", limits)
	case group.Limit < leastMemory:
		v.fix("limits", fmt.Sprintf("the memory limit is %d MiB; libtorch needs 200 to 400 MiB", group.Limit>>20),
			"give the container at least 1 GiB")
	default:
		v.ok("limits", "%s; the memory limit is %d MiB, and gotorch stays below it", limits, group.Limit>>20)
	}
}

// build builds and runs a program that links libtorch, and prints what the program reports.
func (v *visit) build(stderr io.Writer) {
	_, _ = fmt.Fprintln(stderr, "gotorch doctor: building a program; the first time takes a minute or two")
	dir, err := os.MkdirTemp("", "gotorch-doctor")
	if err != nil {
		v.fix("build", err.Error(), "set TMPDIR to a directory that you can write to")
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program, err := v.source.install("cmd/gotorch/probe", dir, v.env)
	if err != nil {
		v.fix("build", "a program does not build: "+firstLines(err.Error(), 10),
			"https://github.com/gotorch/gotorch/blob/main/docs/troubleshooting.md#the-build-fails")
		return
	}
	out, err := exec.Command(program).Output()
	var found struct {
		Libtorch, Allocator string
		Threads, GPUs       int
	}
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil {
		v.fix("build", "a program builds, but does not run: "+says(err),
			"https://github.com/gotorch/gotorch/blob/main/docs/troubleshooting.md#the-program-does-not-start")
		return
	}
	v.ok("build", "a program with libtorch %s builds and runs", found.Libtorch)
	v.ok("threads", "an operator uses up to %d", found.Threads)
	if found.Allocator == "system" {
		v.ok("allocator", "the C library's, as GOTORCH_CPU_ALLOCATOR says; memory statistics are reduced")
	} else {
		v.ok("allocator", "%s", found.Allocator)
	}
	if found.GPUs > 0 {
		v.ok("CUDA", "%d devices", found.GPUs)
	}
}

// firstLines returns the first lines of a text.
func firstLines(text string, n int) string {
	lines := strings.SplitN(text, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}

// says returns the text of an error, with what the program printed.
func says(err error) string {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return err.Error() + ": " + strings.TrimSpace(string(exit.Stderr))
	}
	return err.Error()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// older reports whether version a, such as "1.26.8" or "2.11.0+cpu", is older than version b.
func older(a, b string) bool {
	x, y := numbers(a), numbers(b)
	for i := range max(len(x), len(y)) {
		var m, n int
		if i < len(x) {
			m = x[i]
		}
		if i < len(y) {
			n = y[i]
		}
		if m != n {
			return m < n
		}
	}
	return false
}

// numbers returns the numbers at the beginning of a version.
func numbers(version string) (list []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, digits := 0, 0
		for _, c := range part {
			if c < '0' || c > '9' {
				break
			}
			n, digits = n*10+int(c-'0'), digits+1
		}
		if digits == 0 {
			return list
		}
		list = append(list, n)
		if digits < len(part) {
			return list
		}
	}
	return list
}
