package dcp

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A checkpoint contains an optimizer's state dict as Python flattens it, with names such as
// state.0.exp_avg and param_groups.0.lr. The parameters may also have names instead of numbers, as
// in Python's get_optimizer_state_dict.

// Keys of an optimizer's state dict.
const (
	keyState  = "state"
	keyGroups = "param_groups"
	keyParams = "params"
)

// numbersOf returns a function that converts a key of the state to the number of its parameter.
func numbersOf(top *node) (func(key string) (int, error), error) {
	named := map[string]int{}
	n := 0
	groups := top.get(keyGroups)
	if groups != nil {
		for i, g := range groups.list {
			params := g.get(keyParams)
			if params == nil {
				continue
			}
			items, ok := pyvalue.Items(params.value)
			if !ok {
				return nil, fmt.Errorf("%s.%d.%s is not a list", keyGroups, i, keyParams)
			}
			for _, p := range items {
				switch p := p.(type) {
				case string:
					if _, again := named[p]; !again {
						named[p] = n
						n++
					}
				case int64:
				default:
					return nil, fmt.Errorf("%s.%d.%s has a %s", keyGroups, i, keyParams, kindOf(p))
				}
			}
		}
	}
	return func(key string) (int, error) {
		if n, ok := named[key]; ok {
			return n, nil
		}
		return number(key)
	}, nil
}

// optimizer plans to load an optimizer's state. The state is loaded after all tensors.
func (l *loader) optimizer(f *leaf, o optim.Optimizer) error {
	before := len(l.newTensors)
	top, err := l.tree(f.path, nil)
	if top == nil || err != nil {
		return err
	}
	l.copiedTensors = append(l.copiedTensors, l.newTensors[before:]...)
	dict, err := numberedDict(top)
	if err != nil {
		return l.errorAbout(f.name, torch.ErrMismatch, "%v", err)
	}
	closed := torch.Try(func() { err = checkDict(o, dict) })
	if closed != nil {
		return namedError(l.op, f.name, closed)
	}
	if err != nil {
		return l.errorAbout(f.name, torch.ErrMismatch, "%v", err)
	}
	l.optimizerChecks = append(l.optimizerChecks, func() error {
		if err := checkNumbers(o, dict); err != nil {
			return l.errorAbout(f.name, torch.ErrFormat, "%v", err)
		}
		return nil
	})
	l.stateLoads = append(l.stateLoads, func() error {
		if err := o.LoadStateDict(dict); err != nil {
			return namedError(l.op, f.name, err)
		}
		return nil
	})
	return nil
}

// numberedDict returns the state dict of an optimizer, with the parameters' names
// replaced by their numbers.
func numberedDict(top *node) (pyvalue.Dict, error) {
	if top.dict == nil {
		return nil, errors.New("the checkpoint's value is not the state dict of an optimizer")
	}
	of, err := numbersOf(top)
	if err != nil {
		return nil, err
	}
	state := pyvalue.Dict{}
	if at := top.get(keyState); at != nil {
		for _, key := range at.keys {
			n, err := of(key)
			if err != nil {
				return nil, err
			}
			state = append(state, pyvalue.Entry{Key: n, Value: at.dict[key].toPickle()})
		}
	}
	groups := []any{}
	if at := top.get(keyGroups); at != nil {
		for _, g := range at.list {
			if g == nil || g.dict == nil {
				return nil, errors.New("a parameter group is not a dict")
			}
			var out pyvalue.Dict
			for _, key := range g.keys {
				v := g.dict[key].toPickle()
				if key == keyParams {
					if v, err = numbers(v, of); err != nil {
						return nil, err
					}
				}
				out = append(out, pyvalue.Entry{Key: key, Value: v})
			}
			groups = append(groups, out)
		}
	}
	return pyvalue.Dict{{Key: keyState, Value: state}, {Key: keyGroups, Value: groups}}, nil
}

// numbers returns the numbers of a group's parameters. of is a function that converts a
// name to a number.
func numbers(v any, of func(string) (int, error)) ([]int, error) {
	items, ok := pyvalue.Items(v)
	if !ok {
		return nil, errors.New("the params of a group are not a list")
	}
	out := make([]int, len(items))
	for i, item := range items {
		switch item := item.(type) {
		case int64:
			out[i] = int(item)
		case string:
			n, err := of(item)
			if err != nil {
				return nil, err
			}
			out[i] = n
		default:
			return nil, fmt.Errorf("expected a number or a name as a parameter, got a %s", kindOf(item))
		}
	}
	return out, nil
}

// optimizerDict plans to make a state dict equal to the saved one. Its existing tensors are filled
// in place.
func (l *loader) optimizerDict(f *leaf, sd *optim.StateDict) error {
	top, err := l.tree(f.path, func(top *node, rest []step) *torch.Tensor {
		if len(rest) != 3 || rest[0].Key != keyState {
			return nil
		}
		of, err := numbersOf(top)
		if err != nil {
			return nil // numberedDict, called below, returns the same error
		}
		n, err := of(rest[1].Key)
		if err != nil {
			return nil
		}
		return sd.State[n][rest[2].Key]
	})
	if top == nil || err != nil {
		return err
	}
	dict, err := numberedDict(top)
	if err != nil {
		return l.errorAbout(f.name, torch.ErrMismatch, "%v", err)
	}
	made, err := stateDictOf(dict, sd)
	if err != nil {
		return l.errorAbout(f.name, torch.ErrMismatch, "%v", err)
	}
	l.assignments = append(l.assignments, func() { *sd = *made })
	return nil
}

// stateDictOf converts dict to a state dict. A setting gets the type that it has in old.
func stateDictOf(dict pyvalue.Dict, old *optim.StateDict) (*optim.StateDict, error) {
	sd := &optim.StateDict{State: map[int]map[string]*torch.Tensor{}}
	for _, e := range dict[0].Value.(pyvalue.Dict) {
		n := e.Key.(int)
		of, ok := e.Value.(pyvalue.Dict)
		if !ok {
			return nil, fmt.Errorf("the state of parameter %d is a %s, expected a dict", n, kindOf(e.Value))
		}
		for _, v := range of {
			name := v.Key.(string)
			if t, ok := v.Value.(*torch.Tensor); ok {
				if sd.State[n] == nil {
					sd.State[n] = map[string]*torch.Tensor{}
				}
				sd.State[n][name] = t
				continue
			}
			value, err := convert(v.Value, typeOfList(v.Value), math.MaxInt64)
			if err != nil {
				return nil, fmt.Errorf("%s of parameter %d: %w", quoteName(name), n, err)
			}
			if sd.Values == nil {
				sd.Values = map[int]map[string]any{}
			}
			if sd.Values[n] == nil {
				sd.Values[n] = map[string]any{}
			}
			sd.Values[n][name] = value
		}
	}
	for i, g := range dict[1].Value.([]any) {
		group := optim.GroupState{Settings: map[string]any{}}
		for _, e := range g.(pyvalue.Dict) {
			name := e.Key.(string)
			if name == keyParams {
				group.Params = e.Value.([]int)
				continue
			}
			var now any
			if i < len(old.ParamGroups) {
				now = old.ParamGroups[i].Settings[name]
			}
			group.Settings[name] = setting(e.Value, now)
		}
		sd.ParamGroups = append(sd.ParamGroups, group)
	}
	return sd, nil
}

// typeOfList returns []*torch.Tensor for a list of tensors, and nil for anything else.
func typeOfList(v any) reflect.Type {
	items, ok := v.([]any)
	if !ok || len(items) == 0 {
		return nil
	}
	for _, item := range items {
		if _, ok := item.(*torch.Tensor); !ok {
			return nil
		}
	}
	return reflect.TypeFor[[]*torch.Tensor]()
}

// setting converts v to the type of an optimizer's current setting, if possible.
func setting(v, now any) any {
	if now != nil && v != nil {
		if out, err := convert(v, reflect.TypeOf(now), math.MaxInt64); err == nil {
			return out
		}
	}
	items, ok := pyvalue.Items(v)
	if !ok {
		return v
	}
	all, ok := pyvalue.Floats(items)
	switch {
	case !ok:
		return v
	case len(all) == 2 && pyvalue.IsTuple(v):
		return [2]float64(all)
	case len(all) == 3 && pyvalue.IsTuple(v):
		return [3]float64(all)
	}
	return all
}
