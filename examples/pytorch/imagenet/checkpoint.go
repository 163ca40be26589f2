package main

import (
	"fmt"
	"path/filepath"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// save writes the state of the training into a file that Python's torch.load can read. If
// this epoch was the best so far, it also writes a second file.
func (t *training) save(top1 float64) (err error) {
	names := []string{"checkpoint.pth.tar"}
	if top1 > t.best {
		t.best = top1
		names = append(names, "model_best.pth.tar")
	}
	if t.saveDir == "" {
		return nil
	}
	torch.Scope(func() {
		state := serialization.NewDict(
			"epoch", t.epoch, "arch", t.arch, "state_dict", t.model.StateDict(), "best_acc1", t.best,
			"optimizer", t.opt.StateDict(), "scheduler", t.sched.StateDict(),
		)
		for _, name := range names {
			if err = serialization.Save(state, filepath.Join(t.saveDir, name)); err != nil {
				return
			}
		}
	})
	return err
}

// load restores the training from the checkpoint that -resume names. Python may have
// written it.
func (t *training) load() error {
	if t.resume == "" {
		return nil
	}
	saved, err := serialization.LoadDict(t.resume, serialization.MapLocation(torch.CPU))
	if err != nil {
		return err
	}
	defer serialization.Close(saved)
	for _, key := range []string{"state_dict", "optimizer", "scheduler"} {
		if saved.Dict(key) == nil {
			return fmt.Errorf("%s is not a checkpoint: it has no dict %q", t.resume, key)
		}
	}
	epoch, _ := saved.Get("epoch")
	best, _ := saved.Get("best_acc1")
	n, isInteger := epoch.(int64)
	top1, isFloat := best.(float64)
	if !isInteger || !isFloat {
		return fmt.Errorf("%s: epoch is %v and best_acc1 %v, expected an integer and a float", t.resume, epoch, best)
	}
	err = t.model.LoadStateDict(saved.Dict("state_dict"))
	if err == nil {
		err = t.opt.LoadStateDict(saved.Dict("optimizer"))
	}
	if err == nil {
		err = t.sched.LoadStateDict(saved.Dict("scheduler"))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.resume, err)
	}
	t.epoch, t.best = int(n), top1
	fmt.Fprintf(t.Out, "%s: %d epochs are over, the best had Acc@1 %.3f\n", t.resume, t.epoch, t.best)
	return nil
}
