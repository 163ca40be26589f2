// Package frame is shared by all programs of examples/pytorch. It defines their common
// flags, handles Ctrl-C, writes the losses to a file, and checks that all native memory
// is freed.
package frame

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/gotorch/gotorch/torch"
)

// Flags are the flags that every program has.
type Flags struct {
	Seed           uint64
	Threads, Steps int    // Steps is -1 for all
	Losses         string // file name
	Quiet          bool
}

// Defaults returns the default values of the flags.
func Defaults() Flags { return Flags{Seed: 1, Threads: torch.NumThreads(), Steps: -1} }

// Register adds the flags to the command line.
func (f *Flags) Register() {
	flag.Uint64Var(&f.Seed, "seed", f.Seed, "seed of the random generator")
	flag.IntVar(&f.Threads, "threads", f.Threads, "threads for one operator")
	flag.IntVar(&f.Steps, "steps", f.Steps, "stop after this number of steps; -1: at the end of the training")
	flag.StringVar(&f.Losses, "losses", f.Losses, "write seconds and loss of each step to this file")
	flag.BoolVar(&f.Quiet, "quiet", f.Quiet, "no progress bar")
}

// Main reads the command line and runs a program, whose training function is train. An
// error ends the process with status 1. Ctrl-C cancels the context of the training, and a
// second Ctrl-C ends the process.
func (f *Flags) Main(name string, train func(t *Training) error) {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop)
	err := fmt.Errorf("unexpected argument %q: flags begin with -", flag.Arg(0))
	if flag.NArg() == 0 {
		err = f.Run(ctx, os.Stdout, train)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
