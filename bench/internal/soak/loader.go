package soak

import (
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

var errBroken = errors.New("a broken example")

// loaders runs loops over loaders with workers. A loop ends normally, by break or by an
// error, or it continues from the state of another loop.
func loaders(w *Worker) error {
	const n = 60
	bad := n
	if w.Rand.IntN(3) == 0 {
		bad = w.Rand.IntN(n)
	}
	set := data.NewFuncDataset(n, func(i int) (data.Example, error) {
		if i == bad {
			return data.Example{}, errBroken
		}
		return data.Example{Input: torch.Rand(torch.Shape{64, 8}), Target: torch.Full(torch.Shape{}, i)}, nil
	})
	stop, workers := 1+w.Rand.IntN(30), w.Rand.IntN(4)
	newLoader := func() *data.Loader {
		opts := []data.LoaderOption{data.BatchSize(3), data.NumWorkers(workers)}
		if w.Rand.IntN(2) == 0 {
			return data.NewLoader(set, opts...)
		}
		return data.NewLoader(set, append(opts, data.Transform(func(e data.Example) data.Example {
			return data.Example{Input: e.Input.MulScalar(2), Target: e.Target}
		}))...)
	}
	first := newLoader()
	seen := 0
	loop := func(l *data.Loader, stop int) error {
		return torch.Try(func() {
			for b := range l.All() {
				if got := b.Target.Int64s()[0]; got != int64(3*b.Index) {
					panic(torch.NewError("soak", torch.ErrValue, "batch",
						fmt.Sprintf("number %d begins with example %d", b.Index, got)))
				}
				if seen++; seen == stop {
					break
				}
			}
		})
	}
	err := loop(first, stop)
	if err == nil && seen == stop && seen < n/3 {
		second := newLoader()
		if err := second.LoadStateDict(first.StateDict()); err != nil {
			return err
		}
		err = loop(second, 0)
	}
	switch {
	case bad < n && errors.Is(err, errBroken):
		return nil
	case err != nil:
		return err
	case bad == n && seen != n/3:
		return fmt.Errorf("got %d batches, expected %d", seen, n/3)
	}
	return nil
}
