package prune

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// method is one of this package's pruning methods.
type method struct {
	kind Kind
	dim  int64
	mask func(scores, mask *torch.Tensor) *torch.Tensor
}

func (m *method) Kind() Kind { return m.kind }
func (m *method) Dim() int64 { return m.dim }
func (m *method) ComputeMask(scores, mask *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor { return m.mask(scores, mask) })
}

// Random returns the method that [RandomUnstructured] uses.
func Random(amount any) Method {
	return newUnstructured("RandomUnstructured", amount,
		func(t *torch.Tensor) *torch.Tensor { return torch.RandLike(t) },
		true)
}

// L1 returns the method that [L1Unstructured] uses.
func L1(amount any) Method {
	return newUnstructured("L1Unstructured", amount, func(t *torch.Tensor) *torch.Tensor { return t.Abs() }, false)
}

// newUnstructured returns a method that prunes the elements with the largest or the smallest
// values.
func newUnstructured(op string, amount any, values func(t *torch.Tensor) *torch.Tensor, largest bool) Method {
	return &method{kind: Unstructured, mask: func(t, old *torch.Tensor) *torch.Tensor {
		k := mustCount(op, amount, t.Numel())
		mask := old.Clone()
		if k != 0 {
			_, index := values(t).Flatten().TopK(k, torch.Dim(-1), torch.Largest(largest))
			mask.Flatten().IndexFill_(0, index, 0)
		}
		return mask
	}}
}

// Identity gives a parameter a mask of ones. It panics as [Apply] does.
// Follows torch.nn.utils.prune.identity.
func Identity(m nn.Module, name string) {
	apply("Identity", m, name, &method{
		kind: Unstructured,
		mask: func(_, mask *torch.Tensor) *torch.Tensor { return mask },
	})
}

// RandomUnstructured prunes random elements of a parameter. amount is a number of
// elements as an int, or a fraction as a float64. It panics with ErrValue for an amount
// that is negative or too large, with ErrType for an amount of any other type, and as
// [Apply] does. Follows torch.nn.utils.prune.random_unstructured.
func RandomUnstructured(m nn.Module, name string, amount any) {
	apply("RandomUnstructured", m, name, Random(amount))
}

// L1Unstructured prunes the elements of a parameter with the smallest absolute values, or with the
// smallest [ImportanceScores]. See [RandomUnstructured] for amount and panics. Follows
// torch.nn.utils.prune.l1_unstructured.
func L1Unstructured(m nn.Module, name string, amount any, opts ...Option) {
	apply("L1Unstructured", m, name, L1(amount), opts...)
}

// RandomStructured prunes random slices of a parameter along a dimension, such as its
// channels. amount is a number of slices as an int, or a fraction as a float64. It
// panics with ErrIndex for a dimension that the parameter does not have, with
// ErrValue for a parameter with fewer than two dimensions, and as
// [RandomUnstructured] does. Follows torch.nn.utils.prune.random_structured.
func RandomStructured(m nn.Module, name string, amount any, dim int64) {
	const op = "RandomStructured"
	apply(op, m, name, &method{kind: Structured, dim: dim, mask: func(t, old *torch.Tensor) *torch.Tensor {
		dim := mustHaveSlices(op, dim, t)
		n := t.Size(dim)
		k := mustCount(op, amount, n)
		if k == 0 {
			return old.Clone()
		}
		prob := torch.Rand(torch.Shape{n}, torch.CPU, torch.Float32)
		threshold, _ := prob.KthValue(k, torch.Dim(-1))
		return maskAlong(prob.Gt(threshold).To(t.Device()), dim, t, old)
	}})
}

// LnStructured prunes slices of a parameter along a dimension: the slices with the smallest n-norm.
// n may be infinite. With [ImportanceScores], the norm is computed from the scores. See
// [RandomStructured] for amount and panics. Follows torch.nn.utils.prune.ln_structured.
func LnStructured(m nn.Module, name string, amount any, n float64, dim int64, opts ...Option) {
	const op = "LnStructured"
	apply(op, m, name, &method{kind: Structured, dim: dim, mask: func(t, old *torch.Tensor) *torch.Tensor {
		dim := mustHaveSlices(op, dim, t)
		size := t.Size(dim)
		k := mustCount(op, amount, size)
		if k == 0 {
			return old.Clone()
		}
		var others torch.Dims
		for d := range t.Dim() {
			if d != dim {
				others = append(others, d)
			}
		}
		_, index := t.Norm(torch.P(n), others).TopK(size-k, torch.Dim(-1))
		keep := torch.Zeros(torch.Shape{size}, t.Device(), torch.Bool)
		keep.IndexFill_(0, index, true)
		return maskAlong(keep, dim, t, old)
	}}, opts...)
}

// maskAlong returns a mask that keeps some slices of a tensor, multiplied by the old mask.
func maskAlong(keep *torch.Tensor, dim int64, t, old *torch.Tensor) *torch.Tensor {
	shape := make(torch.Shape, t.Dim())
	for i := range shape {
		shape[i] = 1
	}
	shape[dim] = t.Size(dim)
	return keep.To(t.DType()).Reshape(shape...).Expand(t.Shape()...).Mul(old.To(t.DType()))
}

func mustHaveSlices(op string, dim int64, t *torch.Tensor) int64 {
	if t.Dim() <= 1 {
		panic(torch.NewError(op, torch.ErrValue, "name",
			fmt.Sprintf("expected a tensor with two dimensions or more, got size %v", t.Shape())))
	}
	return mustDim(op, dim, t)
}

// CustomFromMask prunes the elements of a parameter where mask, which has the parameter's
// shape, is zero. The caller keeps ownership of the mask. It panics with ErrNil or
// ErrClosed for a nil or closed mask, with ErrShape for a mask of a different shape, and
// as [Apply] does. Follows torch.nn.utils.prune.custom_from_mask.
func CustomFromMask(m nn.Module, name string, mask *torch.Tensor) {
	const op = "CustomFromMask"
	mask.HandleFor(op+"(mask)", 0)
	apply(op, m, name, &method{kind: Global, mask: func(_, old *torch.Tensor) *torch.Tensor {
		if !mask.Shape().Equal(old.Shape()) {
			panic(torch.NewError(op, torch.ErrShape, "mask",
				fmt.Sprintf("expected size %v, got %v", old.Shape(), mask.Shape())))
		}
		return old.Mul(mask.To(old.DType()))
	}})
}

// Parameter names a parameter to prune with [GlobalUnstructured].
type Parameter struct {
	Module nn.Module
	Name   string
	Scores *torch.Tensor // used instead of the parameter's values; may be nil
}

// GlobalUnstructured prunes several parameters together, as if they were one, with an
// unstructured method such as [L1] or [Random]. It panics with ErrValue for an empty list
// and for a method of any other kind, with ErrShape for scores of a different shape, and
// as [Apply] does. Follows torch.nn.utils.prune.global_unstructured.
func GlobalUnstructured(params []Parameter, how Method) {
	const op = "GlobalUnstructured"
	if opt.IsNil(how) {
		panic(torch.NewError(op, torch.ErrNil, "how", "a nil method"))
	}
	if len(params) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "params", "an empty list"))
	}
	if how.Kind() != Unstructured {
		panic(torch.NewError(op, torch.ErrValue, "how", "expected a method of kind Unstructured"))
	}
	torch.NoGrad(func() {
		torch.Scope(func() {
			var scores, masks []*torch.Tensor
			for i, p := range params {
				if opt.IsNil(p.Module) {
					panic(torch.NewError(op, torch.ErrNil, fmt.Sprintf("params[%d]", i), "a nil module"))
				}
				orig, mask := originalAndMask(op, p.Module, p.Name)
				s := p.Scores
				switch {
				case s != nil && !s.Shape().Equal(orig.Shape()):
					panic(torch.NewError(op, torch.ErrShape, fmt.Sprintf("params[%d]", i),
						fmt.Sprintf("expected scores of size %v, got %v", orig.Shape(), s.Shape())))
				case s == nil && mask != nil:
					s = applyMask(orig, mask)
				case s == nil:
					s = orig
				}
				if mask == nil {
					mask = torch.OnesLike(orig)
				}
				scores, masks = append(scores, s.Reshape(-1)), append(masks, mask.Reshape(-1))
			}
			final := combineMasks(op, how, torch.Cat(scores), torch.Cat(masks))
			at := int64(0)
			for _, p := range params {
				orig, _ := originalAndMask(op, p.Module, p.Name)
				CustomFromMask(p.Module, p.Name, final.Narrow(0, at, orig.Numel()).ViewAs(orig))
				at += orig.Numel()
			}
		})
	})
}
