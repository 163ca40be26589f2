package conformance_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/optable"
	"github.com/gotorch/gotorch/torch"
)

// Each recorded call of an operator is captured in a graph, which is replayed with
// different values. Results and arguments must equal those of the same call without a
// graph. Calls that cannot be captured are left out.
func TestOpsInGraphs(t *testing.T) {
	captured, refused := 0, map[string]string{}
	eachMember(t, "ops in graphs", func(string) string {
		return ""
	}, func(_ string, f *file, raw json.RawMessage, d *differences) {
		var c opCase
		if err := decode(raw, &c); err != nil {
			panic(err)
		}
		d.name = c.Op
		if uninitialized[c.Op] || unsettled[c.Op] != "" {
			panic(skipped(c.Op + ": " + unsettled[c.Op]))
		}
		torch.NoGrad(func() {
			if why := d.replayed(f, &c); why != "" {
				refused[c.Op] = why
				panic(skipped("not captured"))
			}
			captured++
		})
	})
	t.Logf("%d captured, %d refused", captured, len(refused))
	if loose {
		assert.Greater(t, captured, 400)
	}
	for _, op := range []string{
		"_unsafe_masked_index", "_unsafe_masked_index_put_accumulate",
		"_saturate_weight_to_fp16",
	} {
		if why := refused[op]; why != "" {
			assert.Contains(t, why, "changes its arguments", op)
		}
	}
}

// opCall is a call of an operator that can be repeated with the same arguments.
type opCall struct {
	fn      reflect.Value
	in      []reflect.Value
	tensors []*torch.Tensor // the tensors among the arguments, in order
	values  []*torch.Tensor // the values to run the call with, one for each of tensors
}

func newCall(f *file, c *opCase) *opCall {
	a := newArgs(f, nil)
	call := &opCall{fn: function(c)}
	ft := call.fn.Type()
	call.in = make([]reflect.Value, len(c.Args))
	for i, v := range c.Args {
		at := (i + optable.Outs[c.Op]) % len(c.Args)
		call.in[at] = a.argument(v, ft.In(at))
	}
	for _, v := range call.in {
		call.tensors = append(call.tensors, tensorsOf(v)...)
	}
	for _, t := range call.tensors {
		call.values = append(call.values, rolled(t))
	}
	return call
}

func tensorsOf(v reflect.Value) []*torch.Tensor {
	switch v := v.Interface().(type) {
	case *torch.Tensor:
		if v != nil {
			return []*torch.Tensor{v}
		}
	case []*torch.Tensor:
		var ts []*torch.Tensor
		for _, t := range v {
			if t != nil {
				ts = append(ts, t)
			}
		}
		return ts
	}
	return nil
}

// rolled returns a copy of t with the elements shifted by one position, so that a replay
// gets different values. Integer tensors keep their order, because they may contain
// indices.
func rolled(t *torch.Tensor) *torch.Tensor {
	c := t.Clone()
	if t.Numel() < 2 || t.Layout() != torch.Strided || !t.IsFloatingPoint() && !t.IsComplex() {
		return c
	}
	return c.Reshape(-1).Roll([]int64{1}, []int64{0}).Reshape(t.Shape()...)
}

// fill copies values into the tensors of the arguments. It skips tensors that already
// have these values, because a graph detects writes to its tensors.
func (c *opCall) fill() {
	for i, t := range c.tensors {
		if !t.Equal(c.values[i]) {
			t.Copy_(c.values[i])
		}
	}
}

// run makes the call and returns the tensors among its results.
func (c *opCall) run() []*torch.Tensor {
	var out []*torch.Tensor
	for _, v := range c.fn.Call(c.in) {
		out = append(out, tensorsOf(v)...)
	}
	return out
}

// replayed compares the replay of a captured call with the same call without a graph. If
// the call cannot be captured, it returns the reason.
func (d *differences) replayed(f *file, c *opCase) (refused string) {
	graphed, eager := newCall(f, c), newCall(f, c)
	seed := func() {
		if c.Seed != nil {
			torch.ManualSeed(*c.Seed)
		}
	}
	var g *torch.Graph
	if err := torch.Try(func() { g = torch.Capture(graphed.run, torch.NumWarmupIters(0)) }); err != nil {
		return err.Error()
	}
	defer g.Close()
	for _, c := range []*opCall{graphed, eager} {
		if err := torch.Try(c.fill); err != nil {
			return err.Error()
		}
	}
	seed()
	var want []*torch.Tensor
	if err := torch.Try(func() { want = eager.run() }); err != nil {
		return err.Error()
	}
	seed()
	got := g.Replay()
	if len(want) != len(got) {
		d.add("%d results of a graph, %d without", len(got), len(want))
		return ""
	}
	for i := range want {
		if unsettled[fmt.Sprintf("%s %d", c.Op, i)] == "" {
			d.alike(fmt.Sprintf("result %d", i), want[i], got[i])
		}
	}
	for i := range eager.tensors {
		d.alike(fmt.Sprintf("tensor %d of the arguments", i), eager.tensors[i], graphed.tensors[i])
	}
	return ""
}

// alike adds a difference unless the tensors have equal shapes, dtypes and elements. NaNs
// count as equal.
func (d *differences) alike(what string, want, got *torch.Tensor) {
	if !want.Shape().Equal(got.Shape()) || want.DType() != got.DType() {
		d.add("%s: %v %v in a graph, %v %v without", what, got.DType(), got.Shape(), want.DType(), want.Shape())
		return
	}
	if want.Equal(got) {
		return
	}
	if equal := want.Eq(got).LogicalOr(want.IsNaN().LogicalAnd(got.IsNaN())); !equal.All().ItemBool() {
		d.add("%s: %v in a graph, %v without", what, got, want)
	}
}
