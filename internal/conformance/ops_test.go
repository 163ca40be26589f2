package conformance_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/optable"
	"github.com/gotorch/gotorch/torch"
)

// opCase is a recorded call of an operator in PyTorch, written by record/ops.py. Args
// contains the values of all arguments in the order of the schema.
type opCase struct {
	Op    string
	Args  []any
	Seed  *uint64
	Out   []any
	After map[int]any // the values, after the call, of arguments that the operator changes, by index
}

// Package torch/aten repeats every recorded operator call. The calls were recorded while
// the samples of PyTorch's operator database ran their forward and backward passes.
func TestOps(t *testing.T) {
	eachMember(t, "ops", func(string) string {
		return ""
	}, func(_ string, f *file, raw json.RawMessage, d *differences) {
		var c opCase
		if err := decode(raw, &c); err != nil {
			panic(err)
		}
		d.name = c.Op
		for _, key := range []string{c.Op, c.Op + " " + firstDType(f, &c)} {
			if why := unsettled[key]; why != "" {
				panic(skipped(key + ": " + why))
			}
		}
		torch.NoGrad(func() { d.replay(f, &c) })
	})
}

func (d *differences) replay(f *file, c *opCase) {
	a := newArgs(f, nil)
	fn := function(c)
	ft := fn.Type()
	if ft.NumIn() != len(c.Args) {
		panic(fmt.Sprintf("conformance: %s takes %d arguments, recorded are %d", c.Op, ft.NumIn(), len(c.Args)))
	}
	// place returns the position in Go of the schema's argument i: functions of
	// torch/aten take the out arguments first.
	place := func(i int) int { return (i + optable.Outs[c.Op]) % len(c.Args) }
	in := make([]reflect.Value, len(c.Args))
	for i, v := range c.Args {
		in[place(i)] = a.argument(v, ft.In(place(i)))
	}
	if c.Seed != nil {
		torch.ManualSeed(*c.Seed)
	}
	out := fn.Call(in)
	if optable.Outs[c.Op] == 0 { // if there are out arguments, they are the results
		d.outcome(f, c, out)
	}
	for i, want := range c.After {
		d.value(f, fmt.Sprintf("argument %d afterwards", i), want, in[place(i)], strides)
	}
}

func (d *differences) outcome(f *file, c *opCase, out []reflect.Value) {
	if len(out) != len(c.Out) {
		d.add("%d results, in Python %d", len(out), len(c.Out))
		return
	}
	how := strides
	if uninitialized[c.Op] {
		how |= layoutOnly
	}
	for i, want := range c.Out {
		if why := unsettled[fmt.Sprintf("%s %d", c.Op, i)]; why == "" {
			d.value(f, fmt.Sprintf("result %d", i), want, out[i], how)
		}
	}
}

// function returns the Go function for a call. Where Python computes x + 2, it converts 2
// to a tensor and calls the overload for tensors. For such a call, function returns the
// overload for numbers.
func function(c *opCase) reflect.Value {
	for i, v := range c.Args {
		m, ok := v.(map[string]any)
		if !ok || m["number"] == nil {
			continue
		}
		twin := strings.Replace(c.Op, ".Tensor", ".Scalar", 1)
		if optable.Functions[twin] == nil || twin == c.Op {
			panic(skipped("a number in place of a tensor, which " + c.Op + " has no form for"))
		}
		c.Op, c.Args[i] = twin, m["number"]
	}
	fn := reflect.ValueOf(optable.Functions[c.Op])
	if !fn.IsValid() {
		panic(skipped("not in torch/aten: " + c.Op))
	}
	return fn
}

// value compares got with want, the recorded value of a result or an argument. The values
// may have any type.
func (d *differences) value(f *file, what string, want any, got reflect.Value, how int) {
	switch g := got.Interface().(type) {
	case *torch.Tensor:
		m, _ := want.(map[string]any)
		if (m == nil) != (g == nil) {
			d.add("%s: None in one of the two (Go %v)", what, g == nil)
		} else if m != nil {
			d.equal(what, f.tensor(tensorIndex(m)), g.Detach(), how)
		}
	case []*torch.Tensor:
		list, _ := want.([]any)
		if len(list) != len(g) {
			d.add("%s: %d tensors, in Python %d", what, len(g), len(list))
			return
		}
		for i := range g {
			d.value(f, fmt.Sprintf("%s %d", what, i), list[i], got.Index(i), how)
		}
	default:
		w := newArgs(f, nil).value(want)
		if fmt.Sprint(w) != fmt.Sprint(g) && fmt.Sprintf("%.17g", w) != fmt.Sprintf("%.17g", g) {
			d.add("%s: %v, in Python %v", what, g, w)
		}
	}
}

// firstDType returns the dtype of the first argument of a call, or "" if that argument is
// not a tensor.
func firstDType(f *file, c *opCase) string {
	if len(c.Args) > 0 {
		if m, ok := c.Args[0].(map[string]any); ok && m["t"] != nil {
			return f.Tensors[tensorIndex(m)].DType
		}
	}
	return ""
}

func tensorIndex(m map[string]any) int {
	n, err := m["t"].(json.Number).Int64()
	if err != nil {
		panic(err)
	}
	return int(n)
}

// argument converts the recorded value v to the type t of a function's parameter.
func (a *args) argument(v any, t reflect.Type) reflect.Value {
	if v == nil {
		return reflect.Zero(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		if t == tensorType {
			return reflect.ValueOf(a.value(v))
		}
		p := reflect.New(t.Elem())
		p.Elem().Set(a.argument(v, t.Elem()))
		return p
	case reflect.Interface:
		return reflect.ValueOf(a.value(v))
	case reflect.Slice:
		s := reflect.MakeSlice(t, 0, 4)
		for _, e := range v.([]any) {
			s = reflect.Append(s, a.argument(e, t.Elem()))
		}
		return s
	case reflect.Array:
		s := reflect.New(t).Elem()
		for i, e := range v.([]any) {
			s.Index(i).Set(a.argument(e, t.Elem()))
		}
		return s
	}
	if m, ok := v.(map[string]any); ok && m["f"] == nil {
		return word(m)
	}
	return reflect.ValueOf(a.value(v)).Convert(t)
}

// word converts a recorded dtype, layout, memory format or device to its Go value.
func word(m map[string]any) reflect.Value {
	for kind, v := range m {
		var w any
		switch name := v.(string); kind {
		case "dtype":
			w = dtypes[name]
		case "layout":
			w = map[string]any{"strided": torch.Strided, "sparse_coo": torch.SparseCOO}[name]
		case "format":
			w = map[string]any{
				"contiguous_format": torch.ContiguousFormat, "preserve_format": torch.PreserveFormat,
				"channels_last": torch.ChannelsLast, "channels_last_3d": torch.ChannelsLast3d,
			}[name]
		case "device":
			d, err := torch.ParseDevice(name)
			if err != nil {
				panic(err)
			}
			w = d
		}
		if w != nil {
			return reflect.ValueOf(w)
		}
	}
	panic(fmt.Sprintf("conformance: %v is not a valid argument", m))
}
