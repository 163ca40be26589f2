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

// keepStates is the number of states that stay in the directory: the newest, and the one
// before it in case the newest is damaged.
const keepStates = 2

// state returns everything that a checkpoint saves. The states of random generators are
// not saved, because only the seed and the epoch determine the order of the images.
func (t *trainer) state() checkpoint.State {
	return checkpoint.State{"model": t.model, "optimizer": t.opt, "place": &t.place}
}

// save writes the state if this process is rank 0. It uses its own context, because it
// also runs after Ctrl-C.
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

// restore loads the newest state, if there is one. Rank 0 looks for it, and the other
// ranks load the same file, because machines may see a new file on a shared disk at
// different times.
func (t *trainer) restore(ctx context.Context) error {
	if !t.resume {
		return nil
	}
	newest := "" // stays empty at the first start
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

// saved writes a checkpoint after every -save-every steps. It returns an error if the
// training must stop.
func (t *trainer) saved(ctx context.Context) error {
	if ctx.Err() != nil {
		return t.stopped(errInterrupted)
	}
	if t.saveEvery > 0 && t.Step%t.saveEvery == 0 {
		return t.save()
	}
	return nil
}

// failed saves the state of a training run that cannot continue, and returns the error
// that ended it. It saves the parameters after the last complete step. If Ctrl-C has
// stopped the other processes first, the error is errInterrupted.
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
	// Accumulated gradients are not saved, so go back to the first batch of the incomplete
	// step.
	if !t.stepped() {
		t.Batch -= t.Batch % t.accumulate
	}
	if t.out == "" {
		return fmt.Errorf("%w, after step %d; without -out nothing is saved", why, t.Step)
	}
	if err := t.save(); err != nil {
		return errors.Join(why, err)
	}
	return fmt.Errorf("%w, after step %d; continue with -out %s -resume", why, t.Step, t.out)
}
