package export

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// turned calls the function with the elements of the inputs in the opposite order, or with
// others if that changes nothing. Integers keep their values if the function accepts no others.
func (w *writer) turned(inputs []*torch.Tensor) (rec *recorded) {
	for _, how := range []turning{{true, true}, {true, false}} {
		if accepts(func() { rec = w.again(how.all(inputs)) }) {
			return rec
		}
	}
	return w.again(turning{}.all(inputs))
}

// turning says which other values the inputs get.
type turning struct {
	integers bool // whether integers and booleans get any
	change   bool // whether inputs that are the same in the opposite order get new values
}

func (how turning) all(inputs []*torch.Tensor) []*torch.Tensor {
	out := slices.Clone(inputs)
	for i, x := range inputs {
		float := x.IsFloatingPoint() || x.IsComplex()
		if !how.integers && !float {
			continue
		}
		all := make([]int64, x.Dim())
		for d := range all {
			all[d] = int64(d)
		}
		y := x.Detach().Flip(all...)
		if y.Equal(x) && x.Numel() > 0 {
			switch {
			case float && (how.change || !how.integers):
				y = y.MulScalar(0.75).AddScalar(0.125) // also within the limits of a probability
			case !float && how.change:
				y = others(y)
			}
		}
		out[i] = y
		out[i].SetRequiresGrad(x.RequiresGrad())
	}
	return out
}

// others returns integers or booleans that differ from those in x.
func others(x *torch.Tensor) *torch.Tensor {
	switch {
	case x.DType() == torch.Bool:
		return x.LogicalNot()
	case x.GtScalar(0).All().ItemBool():
		return x.SubScalar(1)
	default:
		return x.AddScalar(1)
	}
}

// matches returns an error if a call with other values has called other operators.
func (rec *recorded) matches(other *recorded) error {
	if len(rec.nodes) != len(other.nodes) || len(rec.constants) != len(other.constants) {
		return unlike("the function calls other operators for other values of the inputs")
	}
	for i := range rec.nodes {
		a, b := &rec.nodes[i], &other.nodes[i]
		if a.name != b.name || a.overload != b.overload || fmt.Sprint(a.args) != fmt.Sprint(b.args) ||
			fmt.Sprint(a.results) != fmt.Sprint(b.results) {
			return unlike(a.at("the function calls another operator here, or with other arguments, for other values " +
				"of the inputs"))
		}
	}
	if !slices.Equal(rec.results, other.results) {
		return unlike("the function returns other tensors for other values of the inputs")
	}
	for i, c := range rec.constants {
		d := other.constants[i].tensor
		if !identical(c.tensor, d) {
			return unlike(fmt.Sprintf("a tensor %v that Go code made depends on the values of the inputs, or on "+
				"earlier calls: compute it with operators", c.tensor.Shape()))
		}
	}
	return nil
}

// identical reports whether two tensors are equal, with NaN equal to itself.
func identical(a, b *torch.Tensor) bool {
	if a.DType() != b.DType() || !a.Shape().Equal(b.Shape()) {
		return false
	}
	return a.Equal(b) || a.IsFloatingPoint() && a.AllClose(b, torch.RTol(0), torch.ATol(0), torch.EqualNaN(true))
}

// compare calls the program and compares its results with those of the function.
func (w *writer) compare(m *Module, inputs, want []*torch.Tensor) {
	w.restore()
	args := make([]any, len(inputs))
	for i, x := range inputs {
		args[i] = x.Detach().Clone()
	}
	var got []any
	torch.NoGrad(func() {
		switch v := m.Run(args...).(type) {
		case Tuple:
			got = v
		default:
			got = []any{v}
		}
	})
	for i, v := range got {
		a, ok := v.(*torch.Tensor)
		b := want[i].Detach()
		if !ok || a.DType() != b.DType() || !a.Shape().Equal(b.Shape()) ||
			!a.AllClose(b, torch.RTol(1e-5), torch.ATol(1e-5), torch.EqualNaN(true)) {
			w.must(unlike(fmt.Sprintf("result %d of the program is another one", i)))
		}
	}
}
