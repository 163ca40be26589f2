package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torch/distributed"
)

// keepStates is how many states stay in the folder: the last one, and one more in case a disk
// spoils it.
const keepStates = 2

// state is what the training is saved with. Generators are not: the order of the images
// comes from the seed and the epoch.
func (t *trainer) state() checkpoint.State {
	return checkpoint.State{"model": t.model, "optimizer": t.opt, "place": &t.place}
}

// save writes the state, on rank 0. It is called after Ctrl-C, too, so it has a context of
// its own.
func (t *trainer) save() error {
	if t.out == "" || t.g.Rank() > 0 {
		return nil
	}
	m, err := checkpoint.Open(t.out, checkpoint.Keep(keepStates))
	if err != nil {
		return err
	}
	return errors.Join(m.Save(context.Background(), t.Step, t.state()), m.Close())
}

// restore goes on from the newest state, if there is one. Rank 0 looks for it and the others
// load the same: on several machines a new file may be seen by one of them before it is by
// another.
func (t *trainer) restore(ctx context.Context) error {
	if !t.resume {
		return nil
	}
	newest := "" // at the first start
	if t.g.Rank() == 0 {
		at, err := checkpoint.Resume(t.out, t.state())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			newest = filepath.Base(at.Path)
			for _, damaged := range at.Skipped {
				fmt.Println("left out:", damaged)
			}
		}
	}
	if err := t.g.BroadcastObject(ctx, &newest, 0); err != nil || t.g.Rank() == 0 || newest == "" {
		return err
	}
	_, err := checkpoint.Load(filepath.Join(t.out, newest), t.state())
	return err
}

// saved saves after some steps, and ends a training that is to stop.
func (t *trainer) saved(ctx context.Context) error {
	if ctx.Err() != nil {
		return t.stopped(errInterrupted)
	}
	if t.saveEvery > 0 && t.Step%t.saveEvery == 0 {
		return t.save()
	}
	return nil
}

// failed ends a training that cannot go on: the parameters are those after the last step that
// was complete. Where Ctrl-C has stopped the other processes first, that is the reason.
func (t *trainer) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return t.stopped(errInterrupted)
	}
	if !errors.As(err, new(*distributed.Error)) {
		return err
	}
	return t.stopped(err)
}

func (t *trainer) stopped(why error) error {
	if !t.stepped() { // the gradients so far are lost, so their batches come again
		t.Batch -= t.Batch % t.accumulate
	}
	if t.out == "" {
		return fmt.Errorf("%w, after step %d; without -out nothing is saved", why, t.Step)
	}
	if err := t.save(); err != nil {
		return errors.Join(why, err)
	}
	return fmt.Errorf("%w, after step %d; -out %s -resume goes on", why, t.Step, t.out)
}
