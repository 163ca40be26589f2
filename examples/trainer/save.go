package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/gotorch/gotorch/torch/checkpoint"
)

// keepStates is the number of states that stay in the directory: the newest, and the one
// before it in case the newest is damaged.
const keepStates = 2

// state returns everything that a checkpoint contains: the data that the training needs
// to continue, and the best weights.
func (t *trainer) state() checkpoint.State {
	return checkpoint.State{
		"model": t.model, "best": t.best, "optimizer": t.opt, "scheduler": t.sched, "scaler": t.scaler,
		"loader": t.train, "place": &t.place,
	}
}

// folder returns the directory that contains the saved states.
func (t *trainer) folder() string { return filepath.Join(t.out, "checkpoints") }

// save writes the state to the directory. It uses its own context, because it also runs
// after Ctrl-C.
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

// load restores the newest undamaged state of a training run. It returns the errors of the
// damaged states that it skipped.
func (t *trainer) load() (damaged []error, err error) {
	at, err := checkpoint.Resume(t.folder(), t.state())
	if err != nil {
		return nil, err
	}
	return at.Skipped, nil
}
