package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/serialization"
)

// State is what belongs to a training, under names of the program's choice, which are
// those in the file:
//
//	nn.Module                 its state dict
//	optim.Optimizer           its state dict, laid out as Python's
//	schedule.Scheduler    its state dict
//	*amp.GradScaler           its state dict
//	*data.Loader              where its loop is, with its random generators
//	*torch.Generator          its state
//	nn.StateDict              tensors, which are loaded in place
//	*torch.Tensor             a tensor, which is loaded in place
//	a [Stateful]              what it returns
//	a pointer to anything     the plain value there: numbers, texts, bools, []byte, slices,
//	                          arrays, maps with keys of strings or integers, structs whose
//	                          fields are all exported, what turns into a text and back
//	                          (time.Time), tensors, and pointers to all these
//
// A value comes back in its own type, to the bit, nil as nil. Within an any it comes back
// as nil, bool, int64, float64, complex128, string, []byte, []any, map[string]any,
// map[int64]any, *big.Int or *torch.Tensor. A tensor within a plain value is a new one,
// owned by the innermost scope of the load, else by the collector. A field that a struct
// has and the file has not stays as it is; one that the struct has not is [ErrMismatch].
//
// The names "step", "metrics", "rng_state" and "cuda_rng_state" are taken.
type State map[string]any

// Stateful is what a program implements to have state of its own in a [State].
type Stateful interface {
	// StateDict returns plain values and tensors, see [State]. Tensors may be its own or
	// new ones, which belong to the innermost scope.
	StateDict() map[string]any
	// LoadStateDict takes what StateDict returned, with the types of values within an any.
	// Tensors in it are freed afterwards: it copies what it needs.
	LoadStateDict(state map[string]any) error
}

const (
	keyStep    = "step"
	keyMetrics = "metrics"
	keyRNG     = "rng_state"      // of the CPU, what torch.set_rng_state takes
	keyCUDARNG = "cuda_rng_state" // of each device, what torch.cuda.set_rng_state_all takes
)

// reserved are the names that no part may have.
var reserved = []string{keyStep, keyMetrics, keyRNG, keyCUDARNG}

// part is a thing of a state.
type part interface {
	// save returns what goes into the file. New tensors belong to the innermost scope.
	save() (any, error)
	// load takes it from the file, or changes nothing and returns an error.
	load(v any) error
	// rank says which parts are loaded first: 0 is small, and what is largest comes last.
	rank() int
}

type namedPart struct {
	name string
	part
}

// parts are those of a state, sorted by name. taken are names that none may have.
func (s State) parts(op string, taken ...string) ([]namedPart, error) {
	var all []namedPart
	for _, name := range slices.Sorted(maps.Keys(s)) {
		bad := func(kind error, text string, args ...any) error {
			return torch.NewError(op, kind, fmt.Sprintf("state[%q]", name), fmt.Sprintf(text, args...))
		}
		if name == "" || slices.Contains(taken, name) {
			return nil, bad(torch.ErrValue, "this name is taken")
		}
		if !utf8.ValidString(name) {
			return nil, bad(torch.ErrValue, "a name that is not UTF-8")
		}
		v := reflect.ValueOf(s[name])
		if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, bad(torch.ErrNil, "a nil %T", s[name])
		}
		p := partOf(s[name])
		if p == nil {
			if v.Kind() != reflect.Pointer {
				return nil, bad(torch.ErrType, "a %T has no state; a plain value is given by its address, so that it can be loaded", s[name])
			}
			p = &plainPart{at: v.Elem()}
		}
		all = append(all, namedPart{name, p})
	}
	return all, nil
}

func partOf(v any) part {
	switch v := v.(type) {
	case nn.Module:
		return modulePart{v}
	case optim.Optimizer:
		return optimizerPart{v}
	case schedule.Scheduler:
		return schedulerPart{v}
	case *amp.GradScaler:
		return scalerPart{v}
	case *data.Loader:
		return loaderPart{v}
	case *torch.Generator:
		return generatorPart{v}
	case nn.StateDict:
		return dictPart(v)
	case *torch.Tensor:
		return tensorPart{v}
	case Stateful:
		return statefulPart{v}
	}
	return nil
}

// tree is what goes into a file.
func tree(op string, parts []namedPart, step int64, m Metrics) (*serialization.Dict, error) {
	d := serialization.NewDict(keyStep, step)
	metrics := new(serialization.Dict)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		metrics.Set(name, m[name])
	}
	d.Set(keyMetrics, metrics)
	for _, p := range parts {
		v, err := p.save()
		if err == nil {
			err = usable(v)
		}
		if err != nil {
			return nil, named(op, p.name, err)
		}
		d.Set(p.name, v)
	}
	states := rngStates()
	d.Set(keyRNG, states[0])
	if len(states) > 1 {
		d.Set(keyCUDARNG, states[1:])
	}
	return d, nil
}

// usable finds tensors that have no values.
func usable(v any) (err error) {
	eachTensor(v, func(t *torch.Tensor) {
		switch {
		case err != nil || t == nil:
		case t.IsClosed():
			err = wrong(torch.ErrClosed, "", "a tensor that is closed")
		case t.IsMeta():
			err = wrong(torch.ErrDevice, "", "a tensor on the meta device, which has no values")
		}
	})
	return err
}

// named says of which part an error is.
func named(op, name string, err error) error {
	var pe *plainError
	if errors.As(err, &pe) {
		return torch.NewError(op, pe.kind, fmt.Sprintf("state[%q]", name), pe.text)
	}
	return fmt.Errorf("%s: state[%q]: %w", op, name, err)
}
