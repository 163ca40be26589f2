// Command trainer is a complete training program, to copy and adapt. It has gradient
// accumulation, gradient clipping, a learning rate with warm-up and cosine decay, and mixed
// precision. It validates, keeps the best model, stops early, and writes metrics as CSV, as
// JSON lines and for TensorBoard. Ctrl-C saves the state of the training and ends the
// program. reference.py is the same program in Python. With the same flags both print the
// same losses.
//
//	go run ./trainer -data "$(../scripts/get_fashion_mnist.sh)" -out runs/first
//	go run ./trainer -data ... -out runs/first -resume  # continues after Ctrl-C
//	tensorboard --logdir runs
//
// Without -data it trains on generated images.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/gotorch/gotorch/torch"
)

type config struct {
	data, device, out, plot, profile  string
	lossFile                          string
	epochs, batch, accumulate, warmup int
	patience, threads, steps          int
	examples, workers                 int
	lr, clip                          float64
	seed                              uint64
	amp, resume, quiet, graph         bool
}

// defaults are the default values of the flags. Tests start from them too.
var defaults = config{
	device: "cpu", epochs: 5, batch: 64, accumulate: 2, warmup: 20, patience: 3, threads: torch.NumThreads(),
	steps: -1, examples: 4096, lr: 2e-3, clip: 1,
}

func main() {
	c := defaults
	flag.StringVar(&c.data, "data", c.data,
		"folder with the four files of Fashion-MNIST; without it images are generated")
	flag.StringVar(&c.out, "out", c.out, "folder for metrics and saved states; without it nothing is written")
	flag.BoolVar(&c.resume, "resume", c.resume, "continue the training that is saved in -out")
	flag.StringVar(&c.plot, "plot", c.plot, "draw losses, norms of gradients and memory into this PNG file")
	flag.StringVar(&c.profile, "profile", c.profile,
		"write a trace of the third to fifth step to this file, and print the costs of their operators")
	flag.StringVar(&c.device, "device", c.device, "device of the model: cpu, cuda, cuda:1")
	flag.BoolVar(&c.amp, "amp", c.amp, "mixed precision: bfloat16 on the CPU, float16 with a scaled loss on CUDA")
	flag.BoolVar(&c.graph, "graph", c.graph, "capture the work on a batch and replay it; the numbers are the same")
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the training images")
	flag.IntVar(&c.batch, "batch", c.batch, "images in a batch")
	flag.IntVar(&c.accumulate, "accumulate", c.accumulate, "batches whose gradients are accumulated for one step")
	flag.IntVar(&c.warmup, "warmup", c.warmup, "steps in which the learning rate rises, before its cosine decay")
	flag.Float64Var(&c.lr, "lr", c.lr, "highest learning rate")
	flag.Float64Var(&c.clip, "clip", c.clip, "largest norm of the gradients")
	flag.IntVar(&c.patience, "patience", c.patience, "epochs without a better validation before it stops; 0: never")
	flag.IntVar(&c.steps, "steps", c.steps, "stop after this number of steps; -1: after the epochs")
	flag.IntVar(&c.examples, "examples", c.examples, "number of generated training images")
	flag.IntVar(&c.workers, "workers", c.workers, "goroutines that load batches; 0: load in the training's goroutine")
	flag.Uint64Var(&c.seed, "seed", c.seed, "seed of the random generator")
	flag.IntVar(&c.threads, "threads", c.threads, "threads for one operator")
	flag.StringVar(&c.lossFile, "losses", c.lossFile, "write seconds and loss of each batch to this file")
	flag.BoolVar(&c.quiet, "quiet", c.quiet, "no progress bar")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C kills the program
	os.Exit(report(run(ctx, c, nil)))
}

// errInterrupted is the error of a training run that was stopped by Ctrl-C.
var errInterrupted = errors.New("interrupted")

// report prints the error that ended the program and returns its exit status. Shells expect
// 130 after Ctrl-C.
func report(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		fmt.Fprintln(os.Stderr, "trainer:", err)
		return 130
	}
	fmt.Fprintln(os.Stderr, "trainer:", err)
	return 1
}

// run trains the model. At the end it checks that all native memory is free. If watch is
// not nil, run calls it after each step.
func run(ctx context.Context, c config, watch func(t *trainer)) (err error) {
	if wrong := torch.Try(func() { err = train(ctx, c, watch) }); wrong != nil {
		return wrong
	}
	return err
}
