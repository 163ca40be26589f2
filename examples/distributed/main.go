// Command distributed runs the training of examples/trainer on several processes. Each
// process has a part of the images and a copy of the model. Gradients are averaged over
// all processes during the backward pass. reference.py is the same program in Python.
//
//	go build -o /tmp/distributed ./distributed
//	torchrun --no-python --nproc-per-node=2 /tmp/distributed -data "$(../scripts/get_fashion_mnist.sh)"
//
// torchrun, Slurm and Kubernetes can start it. It can also run alone. Without -data it
// trains on generated images.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

type config struct {
	data, out, compress, lossFile string
	epochs, batch, accumulate     int
	steps, examples, threads      int
	saveEvery                     int
	lr                            float64
	seed                          uint64
	timeout                       time.Duration
	resume, quiet                 bool
}

// defaults are the default values of the flags. Tests start from them too.
var defaults = config{
	epochs: 2, batch: 64, accumulate: 1, steps: -1, examples: 4096, threads: 1, lr: 1e-3, timeout: 5 * time.Minute,
}

func main() {
	c := defaults
	flag.StringVar(&c.data, "data", c.data,
		"folder with the four files of Fashion-MNIST; without it images are generated")
	flag.StringVar(&c.out, "out", c.out,
		"folder for saved states, which rank 0 writes and all read; without it nothing is saved")
	flag.BoolVar(&c.resume, "resume", c.resume, "continue the training that is saved in -out, if there is one")
	flag.IntVar(&c.saveEvery, "save-every", c.saveEvery, "steps between saved states; 0: only after each epoch")
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the training images")
	flag.IntVar(&c.batch, "batch", c.batch, "images in a batch of one process")
	flag.IntVar(&c.accumulate, "accumulate", c.accumulate,
		"batches whose gradients are accumulated for one step; they are averaged over the processes once")
	flag.IntVar(&c.steps, "steps", c.steps, "stop after this number of steps; -1: after the epochs")
	flag.StringVar(&c.compress, "compress", c.compress, "send gradients as fp16 or bf16")
	flag.IntVar(&c.examples, "examples", c.examples, "number of generated training images")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.Uint64Var(&c.seed, "seed", c.seed, "seed of the random generator")
	flag.IntVar(&c.threads, "threads", c.threads, "threads for one operator of one process")
	flag.DurationVar(&c.timeout, "timeout", c.timeout, "how long one process waits for the others")
	flag.StringVar(&c.lossFile, "losses", c.lossFile, "write seconds and loss of each batch of rank 0 to this file")
	flag.BoolVar(&c.quiet, "quiet", c.quiet, "no progress bar")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C kills the program
	os.Exit(report(run(ctx, c)))
}

// errInterrupted is the error of a training run that was stopped by Ctrl-C or the
// launcher.
var errInterrupted = errors.New("interrupted")

// report prints the error that ended the program and returns its exit status. Shells expect
// 130 after Ctrl-C.
func report(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		fmt.Fprintln(os.Stderr, "distributed:", err)
		return 130
	}
	fmt.Fprintln(os.Stderr, "distributed:", err)
	return 1
}

// run joins the group of all processes and trains.
func run(ctx context.Context, c config) error {
	err := joined(ctx, c)
	// After Ctrl-C, processes that are waiting for each other fail with other errors.
	// Report the interruption instead.
	if err != nil && ctx.Err() != nil && !errors.Is(err, errInterrupted) {
		return fmt.Errorf("%w: %w", errInterrupted, err)
	}
	return err
}

func joined(ctx context.Context, c config) (err error) {
	g, err := join(ctx, c.timeout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if wrong := torch.Try(func() { err = train(ctx, g, c) }); wrong != nil {
		return wrong
	}
	return err
}

// join joins the group of the processes that were started by a launcher. Without a
// launcher it makes a group of one.
func join(ctx context.Context, timeout time.Duration) (*distributed.ProcessGroup, error) {
	for _, name := range []string{"RANK", "SLURM_PROCID"} {
		if os.Getenv(name) != "" {
			return distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.Timeout(timeout))
		}
	}
	store, err := distributed.NewHashStore()
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(store), distributed.Rank(0),
		distributed.WorldSize(1), distributed.Interfaces("lo"))
}
