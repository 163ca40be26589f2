package checkpoint

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/serialization"
)

// formError returns the error for v, a value from a file that does not have the wanted
// form.
func formError(want string, v any) error {
	return plainErrorf(torch.ErrMismatch, "", "the file has %s, expected %s", describe(v), want)
}

// dictOfTensors converts a state dict of package nn to a dict in the form of Python's state
// dicts.
func dictOfTensors(sd nn.StateDict) *serialization.Dict {
	d := serialization.NewOrderedDict()
	for _, n := range sd {
		if n.Tensor == nil {
			d.Set(n.Name, nil)
			continue
		}
		d.Set(n.Name, n.Tensor)
	}
	return d
}

// tensorsOf is the inverse of dictOfTensors.
func tensorsOf(v any) (nn.StateDict, error) {
	d, ok := v.(*serialization.Dict)
	if !ok {
		return nil, formError("a dict of tensors", v)
	}
	var sd nn.StateDict
	for key, value := range d.All() {
		name, isText := key.(string)
		t, isTensor := value.(*torch.Tensor)
		if !isText || !isTensor && value != nil {
			return nil, formError("a dict of tensors", value)
		}
		sd = append(sd, nn.NamedTensor{Name: name, Tensor: t})
	}
	return sd, nil
}

type modulePart struct{ m nn.Module }

func (p modulePart) save() (any, error) { return dictOfTensors(p.m.StateDict()), nil }

func (p modulePart) load(v any) error {
	sd, err := tensorsOf(v)
	if err != nil {
		return err
	}
	return p.m.LoadStateDict(sd)
}

func (modulePart) rank() int { return 3 }

type optimizerPart struct{ o optim.Optimizer }

func (p optimizerPart) save() (any, error) { return dictOf(p.o.StateDict(), "") }

func (p optimizerPart) load(v any) error {
	return loadDict(v, "the state dict of an optimizer", p.o.LoadStateDict)
}

func (optimizerPart) rank() int { return 2 }

type schedulerPart struct{ s schedule.Scheduler }

func (p schedulerPart) save() (any, error) { return dictOf(p.s.StateDict(), "") }

func (p schedulerPart) load(v any) error {
	return loadDict(v, "the state dict of a scheduler", p.s.LoadStateDict)
}

func (schedulerPart) rank() int { return 0 }

type scalerPart struct{ s *amp.GradScaler }

func (p scalerPart) save() (any, error) { return dictOf(p.s.StateDict(), "") }

func (p scalerPart) load(v any) error {
	return loadDict(v, "the state dict of a scaler", p.s.LoadStateDict)
}

func (scalerPart) rank() int { return 0 }

// dictOf converts a state dict to a dict that a file can hold. where names the state dict
// in errors.
func dictOf(src optim.StateSource, where string) (d *serialization.Dict, err error) {
	d = new(serialization.Dict)
	if c, ok := src.(interface{ PythonClass() string }); ok {
		d.Class = serialization.Class(c.PythonClass())
	}
	src.Each(func(key, value any) bool {
		at := fmt.Sprintf("%s[%.40v]", where, key)
		var item any
		if item, err = plain(value, at); err == nil {
			d.Set(key, item)
		}
		return err == nil
	})
	return d, err
}

func plain(v any, where string) (any, error) {
	if src, ok := v.(optim.StateSource); ok {
		return dictOf(src, where)
	}
	items, ok := pyvalue.Items(v)
	if !ok {
		return encode(reflect.ValueOf(v), where, 0)
	}
	out := make([]any, len(items))
	for i, item := range items {
		var err error
		if out[i], err = plain(item, fmt.Sprintf("%s[%d]", where, i)); err != nil {
			return nil, err
		}
	}
	if pyvalue.IsTuple(v) {
		return serialization.Tuple(out), nil
	}
	return out, nil
}

func loadDict(v any, what string, load func(src optim.StateSource) error) error {
	d, ok := v.(*serialization.Dict)
	if !ok {
		return formError(what, v)
	}
	return load(d)
}

type loaderPart struct{ l *data.Loader }

func (p loaderPart) save() (any, error) { return encode(reflect.ValueOf(p.l.StateDict()), "", 0) }

func (p loaderPart) load(v any) error {
	var s data.LoaderState
	if err := decode(v, reflect.ValueOf(&s).Elem(), ""); err != nil {
		return err
	}
	return p.l.LoadStateDict(s)
}

func (loaderPart) rank() int { return 0 }

type generatorPart struct{ g *torch.Generator }

func (p generatorPart) save() (any, error) { return p.g.State(), nil }

func (p generatorPart) load(v any) error {
	t, ok := v.(*torch.Tensor)
	if !ok {
		return formError("the state of a generator", v)
	}
	return torch.Try(func() { p.g.SetState(t) })
}

func (generatorPart) rank() int { return 0 }

type statefulPart struct{ s Stateful }

func (p statefulPart) save() (any, error) { return encode(reflect.ValueOf(p.s.StateDict()), "", 0) }

func (p statefulPart) load(v any) error {
	m, ok := goValue(v).(map[string]any)
	if !ok && v != nil {
		return formError("a dict", v)
	}
	return p.s.LoadStateDict(m)
}

func (statefulPart) rank() int { return 0 }

// plainPart is a part that is a plain Go value, such as a number, a slice or a struct.
type plainPart struct{ value reflect.Value }

func (p *plainPart) save() (any, error) { return encode(p.value, "", 0) }

func (p *plainPart) load(v any) error {
	made := reflect.New(p.value.Type()).Elem()
	made.Set(p.value) // fields that the file lacks keep their values
	if err := decode(v, made, ""); err != nil {
		return err
	}
	eachTensor(v, func(t *torch.Tensor) { torch.Keep(t) }) // withEntries frees all other tensors of the file
	p.value.Set(made)
	return nil
}

func (*plainPart) rank() int { return 0 }

// eachTensor calls fn for each tensor in a value.
func eachTensor(v any, fn func(t *torch.Tensor)) {
	switch v := v.(type) {
	case *torch.Tensor:
		fn(v)
	case []*torch.Tensor:
		for _, t := range v {
			fn(t)
		}
	case *serialization.Dict:
		v.Each(func(_, value any) bool { eachTensor(value, fn); return true })
	default:
		items, _ := list(v)
		for _, item := range items {
			eachTensor(item, fn)
		}
	}
}

// undoOf returns a function that restores a part to its current state. It copies the part's
// tensors.
func undoOf(p namedPart) (func() error, error) {
	if p, ok := p.part.(*plainPart); ok { // loading makes new maps and slices, so the old ones stay unchanged
		old := reflect.New(p.value.Type()).Elem()
		old.Set(p.value)
		return func() error { p.value.Set(old); return nil }, nil
	}
	v, err := p.save()
	if err != nil {
		return nil, err
	}
	v = copyTensors(v)
	return func() error {
		if err := p.load(v); err != nil {
			return fmt.Errorf("restoring the part: %w", err)
		}
		return nil
	}, nil
}

// copyTensors returns a value with copies of its tensors.
func copyTensors(v any) any {
	return replaceTensors(v, func(t *torch.Tensor) *torch.Tensor {
		var c *torch.Tensor
		torch.NoGrad(func() { c = t.Clone() })
		return c
	})
}

// replaceTensors returns a copy of a value in which by(t) replaces each tensor t.
func replaceTensors(v any, by func(t *torch.Tensor) *torch.Tensor) any {
	switch v := v.(type) {
	case *torch.Tensor:
		return by(v)
	case *serialization.Dict:
		d := &serialization.Dict{Class: v.Class}
		v.Each(func(key, value any) bool { d.Set(key, replaceTensors(value, by)); return true })
		return d
	case serialization.Tuple:
		return serialization.Tuple(replaceTensorsIn(v, by))
	case []any:
		return replaceTensorsIn(v, by)
	case []*torch.Tensor:
		out := make([]*torch.Tensor, len(v))
		for i, t := range v {
			out[i] = by(t)
		}
		return out
	}
	return v
}

func replaceTensorsIn(items []any, by func(t *torch.Tensor) *torch.Tensor) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = replaceTensors(item, by)
	}
	return out
}
