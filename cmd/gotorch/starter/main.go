// Command starter trains a model that tells classes of points apart. Replace the data, in
// data/, and the model, in model.go, with your own.
//
//	go run . -epochs 20        # Ctrl-C saves the state
//	go run . -epochs 20 -resume
//	go run . -serve 127.0.0.1:8080   # answers requests with the trained model
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
	data, out     string
	serve         string // the address of the server; "" trains
	epochs, batch int
	lr            float64
	seed          uint64
	resume        bool
}

// defaults are the default values of the flags. Tests start from them too.
var defaults = config{data: "data/points.csv", out: "runs/first", epochs: 20, batch: 32, lr: 0.01}

func main() {
	c := defaults
	flag.StringVar(&c.data, "data", c.data, "CSV file; its last column is the class")
	flag.StringVar(&c.out, "out", c.out, "directory for checkpoints and weights")
	flag.StringVar(&c.serve, "serve", c.serve, "answer requests at this `address` with the weights in -out")
	flag.BoolVar(&c.resume, "resume", c.resume, "continue the training that is saved in -out")
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the training data")
	flag.IntVar(&c.batch, "batch", c.batch, "examples in a batch")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.Uint64Var(&c.seed, "seed", c.seed, "seed of the random numbers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once

	var err error
	wrong := torch.Try(func() {
		if c.serve != "" {
			err = serve(ctx, c)
		} else {
			_, err = train(ctx, c, os.Stdout)
		}
	})
	if wrong != nil {
		err = wrong // a mistake with tensors, such as shapes that do not match
	}
	switch {
	case errors.Is(err, errInterrupted):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
