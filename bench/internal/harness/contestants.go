package harness

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// contestants contains, for each contestant, the function that prepares it.
var contestants = map[string]func(*Toolbox) (command, error){
	Ours:                    prepareOurs,
	"cpp":                   prepareCPP,
	"tch":                   prepareTch,
	"python":                preparePython,
	"python_jemalloc":       func(b *Toolbox) (command, error) { return preparePreloaded(b, "jemalloc") },
	"python_mimalloc":       func(b *Toolbox) (command, error) { return preparePreloaded(b, "mimalloc") },
	"build_shim":            prepareBuildShim,
	"nn_peak":               prepareNNPeak,
	"fmnist_ours":           prepareFashionOurs,
	"fmnist_python":         prepareFashionPython,
	"fmnist_python_counted": prepareFashionCounted,
	"serve_mlp_ours":        func(b *Toolbox) (command, error) { return prepareServeOurs(b, "mlp") },
	"serve_cnn_ours":        func(b *Toolbox) (command, error) { return prepareServeOurs(b, "cnn") },
	"serve_mlp_python":      func(b *Toolbox) (command, error) { return prepareServePython(b, "mlp") },
	"serve_cnn_python":      func(b *Toolbox) (command, error) { return prepareServePython(b, "cnn") },
	"aoti_ours":             func(b *Toolbox) (command, error) { return prepareAOTI(b, prepareOurs) },
	"aoti_python":           func(b *Toolbox) (command, error) { return prepareAOTI(b, preparePython) },
	"jpeg_ours":             prepareJPEGOurs,
	"jpeg_python":           prepareJPEGPython,
	"kinematics_ours":       prepareKinematicsOurs,
	"kinematics_python":     prepareKinematicsPython,
	"gpt_ours":              prepareGPTOurs,
	"gpt_python":            prepareGPTPython,
	"gpt_python_counted":    prepareGPTCounted,
	"embed_ours":            prepareEmbedOurs,
	"embed_python":          prepareEmbedPython,
	"lm_ours":               func(b *Toolbox) (command, error) { return prepareLMOurs(b, b.smolLM2Folder) },
	"lm_gguf":               func(b *Toolbox) (command, error) { return prepareLMOurs(b, b.smolLM2) },
	"lm_python":             prepareLMPython,
	"infer_ours":            prepareInferOurs,
	"infer_python":          prepareInferPython,
	"vision_ours":           prepareVisionOurs,
	"vision_python":         prepareVisionPython,
}

func init() { maps.Copy(contestants, plainContestants()) }

// program returns a command that runs the program called name. The leading arguments
// precede the measure's arguments, and env is added to the environment.
func program(env []string, name string, leading ...string) command {
	return func(args []string) *exec.Cmd {
		cmd := exec.Command(name, append(leading[:len(leading):len(leading)], args...)...)
		cmd.Env = append(os.Environ(), env...)
		return cmd
	}
}

// with returns c with additional environment variables.
func (c command) with(env ...string) command {
	return func(args []string) *exec.Cmd {
		cmd := c(args)
		cmd.Env = append(cmd.Env, env...)
		return cmd
	}
}

func prepareOurs(b *Toolbox) (command, error) {
	binary, err := b.goBuild("ours", ".", "./bench/cmd/ours")
	return program(nil, binary), err
}

// prepareBuildShim passes on the benchmark's environment, which contains the path of
// libtorch.
func prepareBuildShim(b *Toolbox) (command, error) {
	return program(nil, b.path("scripts/build_time.sh")), nil
}

func prepareNNPeak(b *Toolbox) (command, error) {
	return program(nil, b.path("bench/nn_peak.sh")), nil
}

func prepareCPP(b *Toolbox) (command, error) {
	binary, err := b.compile("cpp",
		[]string{"main.cpp", "add.cpp", "mlp.cpp", "optim.cpp", "graphs.cpp", "allreduce.cpp"}, "peer.hpp", "adamw.hpp")
	return program(nil, binary), err
}

func preparePython(b *Toolbox) (command, error) {
	python, err := b.Python()
	return program(nil, python, b.path("bench/python/peer.py")), err
}

func preparePreloaded(b *Toolbox, allocator string) (command, error) {
	library, err := b.output(b.path("bench/get_malloc.sh"), allocator)
	if err != nil {
		return nil, err
	}
	python, err := b.Python()
	return program([]string{"LD_PRELOAD=" + library}, python, b.path("bench/python/peer.py")), err
}

// prepareTch builds the Rust peer. LIBTORCH_USE_PYTORCH makes its crate tch use the
// libtorch of the Python package.
func prepareTch(b *Toolbox) (command, error) {
	python, err := b.Python()
	if err != nil {
		return nil, err
	}
	libraries, err := b.output(python, "-c",
		"import os, torch; print(os.path.join(os.path.dirname(torch.__file__), 'lib'))")
	if err != nil {
		return nil, err
	}
	target := filepath.Join(b.build, "tch")
	cmd := exec.Command("cargo", "build", "--release", "--quiet", "--locked")
	cmd.Dir = b.path("bench/tch")
	cmd.Env = append(os.Environ(),
		"LIBTORCH_USE_PYTORCH=1",
		"VIRTUAL_ENV="+filepath.Dir(filepath.Dir(python)),
		"PATH="+filepath.Dir(python)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"CARGO_TARGET_DIR="+target,
		"RUSTFLAGS=-C link-arg=-Wl,-rpath,"+libraries,
	)
	if err := run(cmd); err != nil {
		return nil, err
	}
	return program(nil, filepath.Join(target, "release", "gotorch-bench-tch")), nil
}

// fashionArgs make the Go and Python programs train for one epoch in the same way, and
// print a line that starts with "bench".
var fashionArgs = []string{"--epochs", "1", "--threads", "2", "--bench"}

func (b *Toolbox) fashionData() ([]string, error) {
	folder, err := b.output(b.path("scripts/get_fashion_mnist.sh"))
	return append(fashionArgs[:len(fashionArgs):len(fashionArgs)], "--data", folder), err
}

func prepareFashionOurs(b *Toolbox) (command, error) {
	args, err := b.fashionData()
	if err != nil {
		return nil, err
	}
	binary, err := b.goBuild("fashionmnist", "examples", "./fashionmnist")
	return program(nil, binary, args...), err
}

func prepareFashionPython(b *Toolbox) (command, error) {
	args, err := b.fashionData()
	if err != nil {
		return nil, err
	}
	python, err := b.Python()
	return program(nil, python, append([]string{b.path("examples/fashionmnist/reference.py")}, args...)...), err
}

func prepareFashionCounted(b *Toolbox) (command, error) {
	args, err := b.fashionData()
	if err != nil {
		return nil, err
	}
	return b.counted("examples/fashionmnist/reference.py", args)
}

// counted returns a command that runs script in Python and counts its native bytes.
func (b *Toolbox) counted(script string, args []string) (command, error) {
	python, err := b.Python()
	if err != nil {
		return nil, err
	}
	library, err := b.compile("libcounting.so", []string{"counting_allocator.cpp"})
	leading := []string{b.path("bench/python/counted.py"), library, b.path(script)}
	return program(nil, python, append(leading, args...)...), err
}

// goBuild builds package pkg of the Go module in directory module, and returns the path
// of the program.
func (b *Toolbox) goBuild(name, module, pkg string) (string, error) {
	binary := filepath.Join(b.build, name)
	cmd := exec.Command("go", "build", "-o", binary, pkg)
	cmd.Dir = b.path(module)
	return binary, run(cmd)
}

// run runs a build command. Its error is the first line that the command wrote to
// standard error.
func run(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	text := strings.TrimSpace(string(out))
	if text == "" {
		return err
	}
	return &buildError{cmd.Args[0], text}
}

// buildError is the error of a failed build, with everything that the tool printed.
type buildError struct{ tool, text string }

func (e *buildError) Error() string {
	lines := strings.Split(e.text, "\n")
	const shown = 5
	if len(lines) > shown {
		lines = append(lines[:shown], "...")
	}
	return e.tool + ": " + strings.Join(lines, "\n    ")
}
