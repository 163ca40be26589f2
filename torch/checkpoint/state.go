package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/serialization"
)

// State maps names to the parts of the training state. A file stores each part under its
// name:
//
//	nn.Module                 its state dict
//	optim.Optimizer           its state dict, in Python's layout
//	schedule.Scheduler        its state dict
//	*amp.GradScaler           its state dict
//	*data.Loader              the position of its loop, with its random generators
//	*torch.Generator          its state
//	nn.StateDict              tensors, which are loaded in place
//	*torch.Tensor             a tensor, which is loaded in place
//	a [Stateful]              the result of its StateDict
//	a pointer to anything     a plain value: numbers, strings, bools, []byte, slices,
//	                          arrays, maps with string or integer keys, structs whose
//	                          fields are all exported, types that marshal to text
//	                          (time.Time), tensors, and pointers to all these
//
// A plain value keeps its type and bits, and nil stays nil. A value in an any is loaded as nil,
// bool, int64, float64, complex128, string, []byte, []any, map[string]any, map[int64]any,
// *big.Int or *torch.Tensor. A tensor within a plain value is loaded as a new tensor, owned by
// the innermost scope of the load or else by the garbage collector. A struct field that is
// missing in the file stays unchanged; a field that is missing in the struct causes
// [torch.ErrMismatch].
//
// The names "step", "metrics", "rng_state" and "cuda_rng_state" are reserved.
type State map[string]any

// Stateful is implemented by user-defined parts of a [State].
type Stateful interface {
	// StateDict returns plain values and tensors; see [State]. The tensors may be the
	// part's own, or new ones that belong to the innermost scope.
	StateDict() map[string]any
	// LoadStateDict loads the result of an earlier StateDict. Its values have the types
	// that [State] lists for values in an any. The tensors are freed when LoadStateDict
	// returns, so it must copy the values that it needs.
	LoadStateDict(state map[string]any) error
}

const (
	keyStep    = "step"
	keyMetrics = "metrics"
	keyRNG     = "rng_state"      // the CPU's state, for torch.set_rng_state
	keyCUDARNG = "cuda_rng_state" // the states of all CUDA devices, for torch.cuda.set_rng_state_all
)

// reservedNames are the names that no part may have.
var reservedNames = []string{keyStep, keyMetrics, keyRNG, keyCUDARNG}

// part is one entry of a State, such as a module or an optimizer.
type part interface {
	// save returns the value for the file. New tensors belong to the innermost scope.
	save() (any, error)
	// load loads the value from the file, or changes nothing and returns an error.
	load(v any) error
	// rank determines the order of loading: parts of a smaller rank are loaded first.
	// Large parts have a large rank, because the last part needs no copy.
	rank() int
}

type namedPart struct {
	name string
	part
}

// parts returns the parts of a state, sorted by name. No part may have a name in taken.
func (s State) parts(op string, taken ...string) ([]namedPart, error) {
	var all []namedPart
	for _, name := range slices.Sorted(maps.Keys(s)) {
		bad := func(kind error, text string, args ...any) error {
			return torch.NewError(op, kind, fmt.Sprintf("state[%q]", name), fmt.Sprintf(text, args...))
		}
		if name == "" || slices.Contains(taken, name) {
			return nil, bad(torch.ErrValue, "this name is reserved")
		}
		if !utf8.ValidString(name) {
			return nil, bad(torch.ErrValue, "the name is not valid UTF-8")
		}
		if opt.IsNil(s[name]) {
			return nil, bad(torch.ErrNil, "a nil %T", s[name])
		}
		p := partOf(s[name])
		if p == nil {
			v := reflect.ValueOf(s[name])
			if v.Kind() != reflect.Pointer {
				return nil, bad(torch.ErrType, "a %T is not supported as a part; pass a plain value by its address, "+
					"so that it can be loaded", s[name])
			}
			p = &plainPart{value: v.Elem()}
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

// tree returns the dict to write to a file.
func tree(op string, parts []namedPart, step int, m Metrics) (*serialization.Dict, error) {
	d := serialization.NewDict(keyStep, int64(step))
	metrics := new(serialization.Dict)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		metrics.Set(name, m[name])
	}
	d.Set(keyMetrics, metrics)
	for _, p := range parts {
		v, err := p.save()
		if err == nil {
			err = checkUsable(v)
		}
		if err != nil {
			return nil, namedError(op, p.name, err)
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

// checkUsable returns an error if v contains a tensor without values, for example a closed
// one.
func checkUsable(v any) (err error) {
	eachTensor(v, func(t *torch.Tensor) {
		switch {
		case err != nil || t == nil:
		case t.IsClosed():
			err = plainErrorf(torch.ErrClosed, "", "the tensor is closed")
		case t.IsMeta():
			err = plainErrorf(torch.ErrDevice, "", "the tensor is on the meta device and has no values")
		}
	})
	return err
}

// namedError adds the part's name to an error.
func namedError(op, name string, err error) error {
	var pe *plainError
	if errors.As(err, &pe) {
		return torch.NewError(op, pe.kind, fmt.Sprintf("state[%q]", name), pe.text)
	}
	return fmt.Errorf("%s: state[%q]: %w", op, name, err)
}
