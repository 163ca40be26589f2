package harness

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Toolbox builds the contestants on first use and keeps their processes.
type Toolbox struct {
	root   string // of the repository
	build  string // folder of everything that is built
	log    io.Writer
	python string // the result of Python, "" before its first call
	ready  map[string]prepared
	alive  map[string]*Child
}

// A command returns the process that runs a contestant, given the arguments of a measure.
type command func(args []string) *exec.Cmd

type prepared struct {
	start command
	err   error
}

// NewToolbox returns a toolbox that builds in build/bench, below the repository root. The
// caller ends its processes with Close.
func NewToolbox(root string, log io.Writer) *Toolbox {
	return &Toolbox{
		root: root, build: filepath.Join(root, "build", "bench"), log: log,
		ready: map[string]prepared{}, alive: map[string]*Child{},
	}
}

// Run runs a measure once. It builds and starts the contestant if necessary. If building
// or starting failed before, Run returns the same error without trying again.
func (b *Toolbox) Run(m Measure) (Result, error) {
	start, err := b.prepare(m.By)
	if err != nil {
		return Result{}, err
	}
	if m.Program {
		return RunProgram(start(m.Args))
	}
	if m.Fresh {
		child, err := Start(start(nil))
		if err != nil {
			return Result{}, err
		}
		result, err := child.Run(m.Case, m.Iterations, m.Args...)
		return result, errors.Join(err, child.Close())
	}
	child := b.alive[m.By]
	if child == nil {
		if child, err = Start(start(nil)); err != nil {
			return Result{}, err
		}
		b.alive[m.By] = child
	}
	return child.Run(m.Case, m.Iterations, m.Args...)
}

// Close ends all processes.
func (b *Toolbox) Close() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(b.alive)) {
		errs = append(errs, b.alive[name].Close())
	}
	clear(b.alive)
	return errors.Join(errs...)
}

func (b *Toolbox) prepare(name string) (command, error) {
	if p, ok := b.ready[name]; ok {
		return p.start, p.err
	}
	ready, ok := contestants[name]
	if !ok {
		return nil, fmt.Errorf("no contestant %q", name)
	}
	fmt.Fprintf(b.log, "  preparing %s\n", name)
	start, err := ready(b)
	b.ready[name] = prepared{start, err}
	return start, err
}

// output runs a command in the repository root and returns the last line of its output.
// Its error contains the last line of standard error.
func (b *Toolbox) output(name string, args ...string) (string, error) {
	return b.outputIn(nil, name, args...)
}

// outputIn is like output, but with additional environment variables.
func (b *Toolbox) outputIn(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = b.root, append(os.Environ(), env...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		if text := lastLine(complaint.String()); text != "" {
			return "", fmt.Errorf("%s: %s", filepath.Base(name), text)
		}
		return "", fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return lastLine(string(out)), nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// Python returns the interpreter whose torch the benchmarks compare with: the interpreter
// named by GOTORCH_PYTHON, or else the interpreter of a new virtual environment.
func (b *Toolbox) Python() (string, error) {
	if b.python == "" {
		b.python = os.Getenv("GOTORCH_PYTHON")
	}
	if b.python == "" {
		python, err := b.output(filepath.Join(b.root, "bench", "setup_python.sh"))
		if err != nil {
			return "", err
		}
		b.python = python
	}
	return b.python, nil
}

func (b *Toolbox) path(parts ...string) string {
	return filepath.Join(append([]string{b.root}, parts...)...)
}
