package main

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/lr_scheduler"
	"github.com/gotorch/gotorch/torch"
)

// saved is a training in a file: state dicts with their tensors as lists of numbers.
type saved struct {
	Place      place
	Model      map[string]values
	Best       map[string]values
	Optimizer  map[int]map[string]values
	Groups     []group
	Schedulers setting
	Scaler     map[string]setting
}

// group is a group of the optimizer's parameters.
type group struct {
	Params   []int
	Settings map[string]setting
}

// setting is a value of a state dict, which may be nil or hold others: gob has no nil in a
// map or a list.
type setting struct {
	Value any
	Dicts []map[string]setting
}

// values are those of a tensor of dtype float32.
type values struct {
	Shape   []int64
	Numbers []float32
}

// stateFile is the state to resume from.
func (t *trainer) stateFile() string { return filepath.Join(t.out, "state.gob") }

// save writes the training to its file. A program that is killed meanwhile leaves the file
// that was there.
func (t *trainer) save() (err error) {
	if err := t.metrics.flush(); err != nil {
		return err
	}
	t.Loader = t.train.StateDict()
	s := saved{Place: t.place, Scaler: settings(t.scaler.StateDict())}
	s.Schedulers.Dicts = []map[string]setting{settings(t.sched.StateDict())}
	torch.Scope(func() {
		s.Model, s.Best = numbers(t.model.StateDict()), numbers(t.best)
		sd := t.opt.StateDict()
		s.Optimizer = map[int]map[string]values{}
		for i, m := range sd.State {
			s.Optimizer[i] = numbers(nn.NewStateDict(m))
		}
		for _, g := range sd.ParamGroups {
			s.Groups = append(s.Groups, group{g.Params, settings(g.Settings)})
		}
	})
	f, err := os.CreateTemp(t.out, "state-*.tmp")
	if err != nil {
		return err
	}
	err = errors.Join(gob.NewEncoder(f).Encode(s), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), t.stateFile())
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// load restores a training from its file.
func (t *trainer) load() error {
	f, err := os.Open(t.stateFile())
	if err != nil {
		return err
	}
	defer f.Close()
	var s saved
	if err := gob.NewDecoder(f).Decode(&s); err != nil {
		return fmt.Errorf("%s: %w", t.stateFile(), err)
	}
	t.place = s.Place
	torch.Scope(func() {
		sd := &optim.StateDict{State: map[int]map[string]*torch.Tensor{}}
		for i, m := range s.Optimizer {
			sd.State[i] = tensors(m).Map()
		}
		for _, g := range s.Groups {
			sd.ParamGroups = append(sd.ParamGroups, optim.GroupState{Params: g.Params, Settings: plain(g.Settings)})
		}
		err = errors.Join(t.model.LoadStateDict(tensors(s.Model)), t.opt.LoadStateDict(sd))
		for name, v := range s.Best {
			if to := t.best.Get(name); to != nil {
				to.Copy_(v.tensor())
			}
		}
	})
	if err == nil && len(s.Schedulers.Dicts) == 1 {
		err = t.sched.LoadStateDict(plain(s.Schedulers.Dicts[0]))
	}
	return errors.Join(err, t.scaler.LoadStateDict(plain(s.Scaler)), t.train.LoadStateDict(t.Loader))
}

func numbers(sd nn.StateDict) map[string]values {
	m := map[string]values{}
	for _, n := range sd {
		m[n.Name] = values{n.Tensor.Shape(), n.Tensor.To(torch.CPU).Float32s()}
	}
	return m
}

func (v values) tensor() *torch.Tensor { return torch.FromSlice(v.Numbers).Reshape(v.Shape...) }

func tensors(m map[string]values) nn.StateDict {
	ts := map[string]*torch.Tensor{}
	for name, v := range m {
		ts[name] = v.tensor()
	}
	return nn.NewStateDict(ts)
}

// settings makes what gob can write of a state dict.
func settings(m map[string]any) map[string]setting {
	out := map[string]setting{}
	for name, v := range m {
		s := setting{Value: v}
		if dicts, ok := v.([]lr_scheduler.StateDict); ok {
			s.Value = nil
			for _, d := range dicts {
				s.Dicts = append(s.Dicts, settings(d))
			}
		}
		out[name] = s
	}
	return out
}

// plain is the reverse of settings.
func plain(m map[string]setting) map[string]any {
	out := map[string]any{}
	for name, s := range m {
		out[name] = s.Value
		if s.Dicts != nil {
			dicts := []lr_scheduler.StateDict{}
			for _, d := range s.Dicts {
				dicts = append(dicts, plain(d))
			}
			out[name] = dicts
		}
	}
	return out
}

func init() { gob.Register([2]float64{}) } // AdamW's betas
