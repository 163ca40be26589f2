// Command trainer is a training as one writes it for real work, of the library's pieces:
// gradients of several batches for each step, clipping, warm-up and a cosine, mixed precision
// or plain, validation, the best model, early stopping, metrics as CSV, JSON lines and for
// TensorBoard, and Ctrl-C that saves and ends. reference.py is the same program in Python; with
// the same flags both print the same losses.
//
//	go run ./trainer -data "$(../scripts/get_fashion_mnist.sh)" -out runs/first
//	go run ./trainer -data ... -out runs/first -resume  # goes on after Ctrl-C
//	tensorboard --logdir runs
//
// Without -data it trains on images that it makes up.
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

// defaults are the flags' and the tests'.
var defaults = config{
	device: "cpu", epochs: 5, batch: 64, accumulate: 2, warmup: 20, patience: 3, threads: torch.NumThreads(),
	steps: -1, examples: 4096, lr: 2e-3, clip: 1,
}

func main() {
	c := defaults
	flag.StringVar(&c.data, "data", c.data,
		"folder with the four files of Fashion-MNIST; without it images are made up")
	flag.StringVar(&c.out, "out", c.out, "folder for metrics and saved states; without it nothing is written")
	flag.BoolVar(&c.resume, "resume", c.resume, "go on where the training in -out was saved")
	flag.StringVar(&c.plot, "plot", c.plot, "draw losses, norms of gradients and memory into this PNG file")
	flag.StringVar(&c.profile, "profile", c.profile,
		"write a trace of the third to fifth step into this file, and print what their operators cost")
	flag.StringVar(&c.device, "device", c.device, "where the model lives: cpu, cuda, cuda:1")
	flag.BoolVar(&c.amp, "amp", c.amp, "mixed precision: bfloat16 on the CPU, float16 with a scaled loss on CUDA")
	flag.BoolVar(&c.graph, "graph", c.graph, "capture what a batch does and replay it; the numbers are the same")
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the training images")
	flag.IntVar(&c.batch, "batch", c.batch, "images in a batch")
	flag.IntVar(&c.accumulate, "accumulate", c.accumulate, "batches whose gradients make one step")
	flag.IntVar(&c.warmup, "warmup", c.warmup, "steps in which the learning rate rises; then it falls by a cosine")
	flag.Float64Var(&c.lr, "lr", c.lr, "highest learning rate")
	flag.Float64Var(&c.clip, "clip", c.clip, "largest norm of the gradients")
	flag.IntVar(&c.patience, "patience", c.patience, "end after so many epochs without a better validation; 0: never")
	flag.IntVar(&c.steps, "steps", c.steps, "end after so many steps; -1: after the epochs")
	flag.IntVar(&c.examples, "examples", c.examples, "images that are made up for training")
	flag.IntVar(&c.workers, "workers", c.workers, "goroutines that load batches; 0: the training's own")
	flag.Uint64Var(&c.seed, "seed", c.seed, "of the random generator")
	flag.IntVar(&c.threads, "threads", c.threads, "threads for one operator")
	flag.StringVar(&c.lossFile, "losses", c.lossFile, "write seconds and loss of each batch to this file")
	flag.BoolVar(&c.quiet, "quiet", c.quiet, "no progress bar")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(report(run(ctx, c, nil)))
}

// errInterrupted is the end of a training that Ctrl-C has stopped and that is saved.
var errInterrupted = errors.New("interrupted")

// report says what ended the program, and returns its exit status: 130 is what shells
// expect after Ctrl-C.
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

// run trains, and checks that all native memory is back at the end. watch, if there is one,
// is called after each step.
func run(ctx context.Context, c config, watch func(t *trainer)) (err error) {
	if wrong := torch.Try(func() { err = train(ctx, c, watch) }); wrong != nil {
		return wrong
	}
	return err
}
