// Command steptime runs a program, such as an example in Go or in Python. The program
// writes the time in seconds and the loss of each step to the file given by its flag
// -losses. steptime prints the mean time per step in nanoseconds, without the first step:
//
//	steptime PROGRAM ARGUMENT...
//	bench step=1
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gotorch/gotorch/bench/internal/losses"
)

func main() {
	step, err := measure(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "steptime:", err)
		os.Exit(1)
	}
	fmt.Printf("bench step=%.0f\n", step)
}

func measure(command []string) (nanoseconds float64, err error) {
	if len(command) == 0 {
		return 0, errors.New("no program to run; usage: steptime PROGRAM [ARGUMENTS]")
	}
	dir, err := os.MkdirTemp("", "steptime")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "losses")
	cmd := exec.Command(command[0], append(command[1:], "--losses", path)...) //nolint:gosec // the caller's own command
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	written, err := losses.Read(path)
	if err != nil {
		return 0, err
	}
	if written.Rate() == 0 {
		return 0, fmt.Errorf("%s has fewer than two steps", command[0])
	}
	return 1e9 / written.Rate(), nil
}
