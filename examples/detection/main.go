// Command detection trains an SSDlite that finds circles, squares and triangles in images
// that the program draws itself. It measures the mean average precision after each epoch,
// and checks that native memory then returns to where it was. reference.py is the same
// program in Python. With the same flags both print the same losses.
//
//	go run ./detection
//	go run ./detection -amp                # mixed precision
//	go run ./detection -found found.png    # draws what the model finds
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
	device, found, plot, lossFile        string
	epochs, images, tests, batch, warmup int
	steps, threads, workers              int
	lr, clip                             float64
	seed                                 uint64
	amp, quiet                           bool
}

// defaults are the default values of the flags. Tests start from them too.
var defaults = config{
	device: "cpu", epochs: 8, images: 512, tests: 64, batch: 8, warmup: 20, steps: -1,
	threads: torch.NumThreads(), lr: 2e-3, clip: 5,
}

func main() {
	c := defaults
	flag.IntVar(&c.epochs, "epochs", c.epochs, "number of epochs, each of which ends with a validation")
	flag.IntVar(&c.images, "images", c.images, "training images of an epoch")
	flag.IntVar(&c.tests, "tests", c.tests, "images for validation")
	flag.IntVar(&c.batch, "batch", c.batch, "images in a batch")
	flag.IntVar(&c.steps, "steps", c.steps, "stop after this number of steps; -1: after the epochs")
	flag.IntVar(&c.warmup, "warmup", c.warmup, "steps in which the learning rate rises, before its cosine decay")
	flag.Float64Var(&c.lr, "lr", c.lr, "highest learning rate")
	flag.Float64Var(&c.clip, "clip", c.clip, "largest norm of the gradients")
	flag.StringVar(&c.device, "device", c.device, "device of the model: cpu, cuda, cuda:1")
	flag.BoolVar(&c.amp, "amp", c.amp, "mixed precision: bfloat16 on the CPU, float16 with a scaled loss on CUDA")
	flag.StringVar(&c.found, "found", c.found, "draw images with the boxes that the model finds into this PNG file")
	flag.StringVar(&c.plot, "plot", c.plot, "draw loss, precision, norms of gradients and memory into this PNG file")
	flag.IntVar(&c.workers, "workers", c.workers, "goroutines that draw images; 0: draw in the training's goroutine")
	flag.Uint64Var(&c.seed, "seed", c.seed, "seed of the random generator")
	flag.IntVar(&c.threads, "threads", c.threads, "threads for one operator")
	flag.StringVar(&c.lossFile, "losses", c.lossFile, "write seconds and loss of each step to this file")
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
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "detection:", err)
	if errors.Is(err, errInterrupted) {
		return 130
	}
	return 1
}

// run trains the model. At the end it checks that all native memory is free. If watch is
// not nil, run calls it after each epoch.
func run(ctx context.Context, c config, watch func(t *trainer)) (err error) {
	if wrong := torch.Try(func() { err = train(ctx, c, watch) }); wrong != nil {
		return wrong
	}
	return err
}
