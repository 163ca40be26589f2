package export

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Forward calls the program with one tensor and returns its result, one tensor. Because of
// Forward, the module is an [nn.Layer], and its hooks run. Use [Module.Run] for other
// arguments and results.
//
// It panics with a *torch.Error: ErrShape if a size is not one that the program was
// exported for, ErrType if the program takes or returns something else than one tensor,
// and the kind of the operator's error if an operator fails. The message then names the
// node, and the line of Python that it came from. After Close the kind is ErrClosed.
func (m *Module) Forward(x *torch.Tensor) *torch.Tensor {
	if m == nil || m.call == nil {
		m.enter("export.Module.Forward") // panics
	}
	return m.Call(x, m.call)
}

func (m *Module) runOne(x *torch.Tensor) *torch.Tensor {
	const op = "export.Module.Forward(input)"
	const name = "export.Module.Forward"
	p, values := m.arguments(name, []any{x}, nil)
	out, _ := p.result.build(m.run(op, name, values))
	if t, ok := out.(*torch.Tensor); ok {
		return t
	}
	panic(torch.NewError(name, torch.ErrType, "receiver",
		fmt.Sprintf("the program returns %T, not a tensor; use Run", out)))
}

// Run calls the program with any arguments and returns its result; see the package
// documentation for the types. The last argument may be [Kwargs]. The structure of the
// arguments must be that of the export. Hooks get the tensors among the arguments and in
// the result, in order. It panics as Forward does, and with ErrValue for an integer that is
// not in the range of the export. Follows calling the module of an ExportedProgram.
func (m *Module) Run(args ...any) any {
	const op = "export.Module.Run"
	if m == nil || m.call == nil {
		m.enter(op) // panics
	}
	var kwargs Kwargs
	if n := len(args); n > 0 {
		if k, ok := args[n-1].(Kwargs); ok {
			kwargs, args = k, args[:n-1]
		}
	}
	return m.hooked(op, args, kwargs)
}

// hooked calls the program with hooks.
func (m *Module) hooked(op string, args []any, kwargs Kwargs) any {
	p, values := m.arguments(op, args, kwargs)
	in, place := tensorsIn(values)
	var out []any
	after := m.CallN(in, func(in []*torch.Tensor) []*torch.Tensor {
		if len(in) != len(place) {
			panic(torch.NewError(op, torch.ErrValue, "args",
				fmt.Sprintf("a hook returned %d tensors, expected %d", len(in), len(place))))
		}
		for i, t := range in {
			values[place[i]] = t
		}
		out = m.run(op+"()", op, values)
		ts, _ := tensorsIn(out)
		return ts
	})
	_, place = tensorsIn(out)
	if len(after) != len(place) {
		panic(torch.NewError(op, torch.ErrValue, "result",
			fmt.Sprintf("a hook returned %d tensors, expected %d", len(after), len(place))))
	}
	for i, t := range after {
		out[place[i]] = t
	}
	v, _ := p.result.build(out)
	return v
}

// tensorsIn returns the tensors among values, and their indices.
func tensorsIn(values []any) (ts []*torch.Tensor, at []int) {
	for i, v := range values {
		if t, ok := v.(*torch.Tensor); ok {
			ts, at = append(ts, t), append(at, i)
		}
	}
	return ts, at
}

// arguments returns the program and the leaves of the arguments.
func (m *Module) arguments(op string, args []any, kwargs Kwargs) (*held, []any) {
	p := m.enter(op)
	defer m.shared.mu.RUnlock()
	return p, p.flatten(op, args, kwargs)
}

// flatten returns the leaves of the arguments.
func (p *program) flatten(op string, args []any, kwargs Kwargs) []any {
	if len(args) != len(p.args.children) {
		panic(torch.NewError(op, torch.ErrValue, "args", fmt.Sprintf("expected %s, got %d positional arguments",
			p.takes(), len(args))))
	}
	values := make([]any, 0, p.args.leaves+p.kwargs.leaves)
	for i, t := range p.args.children {
		values = t.flatten(op, p.argName(i), args[i], values)
	}
	for i, t := range p.kwargs.children {
		name := p.kwargs.keys[i].(string)
		v, ok := kwargs[name]
		if !ok {
			panic(torch.NewError(op, torch.ErrValue, name, "the argument is missing; expected "+p.takes()))
		}
		values = t.flatten(op, name, v, values)
	}
	for name := range kwargs {
		if !slices.Contains(p.kwargs.keys, any(name)) {
			panic(torch.NewError(op, torch.ErrValue, name, "there is no such argument; expected "+p.takes()))
		}
	}
	return values
}

// argName returns the name of a positional argument.
func (p *program) argName(i int) string {
	if i < len(p.argNames) {
		return p.argNames[i]
	}
	return fmt.Sprintf("args[%d]", i)
}

// takes describes the arguments of the program for errors.
func (p *program) takes() string {
	return fmt.Sprintf("arguments %v and Kwargs %v", p.args, p.kwargs)
}

// run calls the program with the leaves of the arguments, and returns those of the result.
func (m *Module) run(op, name string, values []any) []any {
	p := m.enter(name)
	defer m.shared.mu.RUnlock()
	var w native.Words
	var tensors []*torch.Tensor
	tensor := func(in *input, t *torch.Tensor) {
		if t.IsClosed() {
			panic(torch.NewError(name, torch.ErrClosed, in.name, "tensor used after Close"))
		}
		w.Tag(native.Tensor, len(tensors))
		tensors = append(tensors, t)
	}
	sizes := sizes{op: name, program: p.program}
	at := 0
	for i := range p.inputs {
		in := &p.inputs[i]
		switch in.kind {
		case parameter, buffer, constantTensor:
			tensor(in, m.shared.inputs[i].get(m.shared))
			continue
		case token:
			w.Tag(native.None, 0)
			continue
		}
		v := values[at]
		at++
		if in.kind == constantArgument {
			in.mustBe(name, v)
			w.Tag(native.None, 0)
			continue
		}
		if t := in.value(name, v, &w); t != nil {
			sizes.check(in, t)
			tensor(in, t)
		} else if n, ok := integer(reflect.ValueOf(v)); ok && in.is == "as_sym_int" {
			sizes.number(in, n)
		}
	}
	sizes.finish()
	m.shared.watch()
	modes := m.shared.modes()
	hs := torch.Handles(op, tensors, false)
	r := torch.BeginRaw(name, tensors...)
	out, results, number, st := native.Run(r.Ctx, p.handle, modes, w, hs)
	p.located(number, func() { r.Status(st) })
	return native.Decode(out, r.WrapAll(results))
}

// located calls end, which panics if a run failed, and adds the node that failed to the
// error.
func (p *program) located(number int64, end func()) {
	err := torch.Try(end)
	if err == nil {
		return
	}
	var e *torch.Error
	if errors.As(err, &e) && number >= 0 && number < int64(len(p.nodes)) {
		e.Message += " (" + p.nodes[number].String() + ")"
	}
	panic(err)
}

// value returns an argument if it is a tensor, and otherwise writes it.
func (in *input) value(op string, v any, w *native.Words) *torch.Tensor {
	if in.is == "as_tensor" {
		t, ok := v.(*torch.Tensor)
		switch {
		case v == nil || ok && t == nil:
			panic(torch.NewError(op, torch.ErrNil, in.name, "expected a tensor, got nil"))
		case !ok:
			panic(torch.NewError(op, torch.ErrType, in.name, fmt.Sprintf("expected a tensor, got %T", v)))
		}
		return t
	}
	r := reflect.ValueOf(v)
	n, whole := integer(r)
	switch {
	case v == nil:
	case r.Kind() == reflect.Bool && in.is == "as_sym_bool":
		w.Bool(r.Bool())
		return nil
	case whole && in.is == "as_sym_int":
		w.Int(n)
		return nil
	case whole && in.is == "as_sym_float":
		w.Float(float64(n))
		return nil
	case r.CanFloat() && in.is == "as_sym_float":
		w.Float(r.Float())
		return nil
	}
	wanted := map[string]string{"as_sym_int": "an integer", "as_sym_float": "a number", "as_sym_bool": "a bool"}[in.is]
	panic(torch.NewError(op, torch.ErrType, in.name, fmt.Sprintf("expected %s, got %T", wanted, v)))
}

// integer returns the value of an integer that fits in 64 bits.
func integer(v reflect.Value) (n int64, ok bool) {
	switch {
	case !v.IsValid():
		return 0, false
	case v.CanInt():
		return v.Int(), true
	case v.CanUint() && v.Uint() < 1<<63:
		return int64(v.Uint()), true
	}
	return 0, false
}

// mustBe panics unless v is the value with which the program was exported.
func (in *input) mustBe(op string, v any) {
	same := v == in.want
	r := reflect.ValueOf(v)
	n, whole := integer(r)
	switch {
	case v == nil:
	case whole:
		same = in.want == n
	case r.CanFloat():
		same = in.want == r.Float()
	case r.Kind() == reflect.String:
		same = in.want == r.String()
	case r.Kind() == reflect.Bool:
		same = in.want == r.Bool()
	}
	if !same {
		panic(torch.NewError(op, torch.ErrValue, in.name,
			fmt.Sprintf("expected %s, with which the program was exported, got %.80s",
				serialization.Repr(in.want), serialization.Repr(v))))
	}
}
