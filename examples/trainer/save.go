package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/gotorch/gotorch/torch/checkpoint"
)

// keepStates is how many states stay in the folder: the last one, and one more in case a disk
// spoils it.
const keepStates = 2

// state is what the training is saved with: all that it needs to go on, and the weights to
// end with.
func (t *trainer) state() checkpoint.State {
	return checkpoint.State{
		"model": t.model, "best": t.best, "optimizer": t.opt, "scheduler": t.sched, "scaler": t.scaler,
		"loader": t.train, "place": &t.place,
	}
}

// folder is where the states are.
func (t *trainer) folder() string { return filepath.Join(t.out, "checkpoints") }

// save writes the training to its folder. It is called after Ctrl-C, so it has a context of
// its own.
func (t *trainer) save() error {
	if err := t.metrics.flush(); err != nil {
		return err
	}
	m, err := checkpoint.Open(t.folder(), checkpoint.Keep(keepStates))
	if err != nil {
		return err
	}
	return errors.Join(m.Save(context.Background(), t.Step, t.state()), m.Close())
}

// load restores a training from its folder, and returns the states that are damaged: then
// it goes on from an older one.
func (t *trainer) load() (damaged []error, err error) {
	at, err := checkpoint.Resume(t.folder(), t.state())
	if err != nil {
		return nil, err
	}
	return at.Skipped, nil
}
