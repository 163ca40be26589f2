// Package prune sets parts of parameters to zero and keeps them there, as
// torch.nn.utils.prune does.
//
//	prune.L1Unstructured(layer, "weight", 0.3)
//
// A pruned parameter "weight" is the product of the parameter "weight_orig" and the buffer
// "weight_mask". Each Forward of the layer computes layer.Weight, which is nil between calls.
// Pruning a parameter again sets more of it to zero, and [Remove] makes it a plain parameter again.
package prune

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Kind says which part of a tensor a method receives if the tensor is already pruned.
type Kind int

// The values of [Kind].
const (
	// Unstructured methods receive the remaining elements as a vector.
	Unstructured Kind = iota
	// Structured methods receive the remaining slices along their dimension.
	Structured
	// Global methods receive the whole tensor.
	Global
)

// Method decides what to prune. ComputeMask returns a mask of ones and zeros with the
// shape of scores and mask. Its result must be zero where mask is zero. ComputeMask runs
// without gradients and must not modify its arguments. Dim is the dimension of structured
// methods. Follows torch.nn.utils.prune.BasePruningMethod.
type Method interface {
	Kind() Kind
	Dim() int64
	ComputeMask(scores, mask *torch.Tensor) *torch.Tensor
}

// An Option is [ImportanceScores].
//
//gotorch:options scores
type Option interface{ option() }

type scores struct{ t *torch.Tensor }

// ImportanceScores makes a method use t instead of the parameter's values. The elements with the
// smallest scores are pruned. t has the parameter's shape, and the caller keeps ownership of it. By
// default, or if t is nil, the method uses the parameter.
func ImportanceScores(t *torch.Tensor) Option { return scores{t} }

// Apply prunes a parameter of m with a method of this package or your own. It panics with
// ErrNil for a nil module, method or option, with ErrValue if m has no parameter with the
// name or the method cannot prune the requested amount, and with ErrShape for scores of a
// different shape. If it panics, nothing has changed. Follows BasePruningMethod.apply.
func Apply(m nn.Module, name string, method Method, opts ...Option) {
	apply("Apply", m, name, method, opts...)
}

// apply is Apply, called by function op. Errors name op.
func apply(op string, m nn.Module, name string, method Method, opts ...Option) {
	given := opt.Read(op, opts, scores{})
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	if opt.IsNil(method) {
		panic(torch.NewError(op, torch.ErrNil, "method", "a nil method"))
	}
	b := m.ModuleBase()
	torch.NoGrad(func() {
		torch.Scope(func() {
			orig, old := originalAndMask(op, m, name)
			again := old != nil
			values := given.t
			switch {
			case values != nil && !values.Shape().Equal(orig.Shape()):
				panic(torch.NewError(op, torch.ErrShape, "ImportanceScores",
					fmt.Sprintf("expected size %v as in %q, got size %v", orig.Shape(), name, values.Shape())))
			case values == nil && again:
				values = applyMask(orig, old)
			case values == nil:
				values = orig
			}
			var mask *torch.Tensor
			if again {
				mask = combineMasks(op, method, values, old)
			} else {
				mask = method.ComputeMask(values, torch.OnesLike(orig))
			}
			if !mask.Shape().Equal(orig.Shape()) {
				panic(torch.NewError(op, torch.ErrShape, "method",
					fmt.Sprintf("expected a mask of size %v, got %v", orig.Shape(), mask.Shape())))
			}
			if mask == old {
				return
			}
			b.RegisterBuffer(name+"_mask", mask)
			if again {
				_ = old.Close()
				return
			}
			grad := orig.RequiresGrad()
			b.Derive(name, func(m nn.Module) *torch.Tensor {
				b := m.ModuleBase()
				return applyMask(b.GetParameter(name+"_orig"), b.GetBuffer(name+"_mask"))
			})
			b.RegisterParameter(name+"_orig", orig)
			orig.SetRequiresGrad(grad)
		})
	})
}

// originalAndMask returns a parameter and its mask. The mask is nil if the parameter is not pruned.
func originalAndMask(op string, m nn.Module, name string) (orig, mask *torch.Tensor) {
	b := m.ModuleBase()
	if b.IsDerived(name) {
		orig, mask = b.GetParameter(name+"_orig"), b.GetBuffer(name+"_mask")
	} else {
		orig = b.GetParameter(name)
	}
	// Another package, such as parametrize, computes this tensor.
	if orig == nil || b.IsDerived(name) && mask == nil {
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("the %s has no parameter %q", b.TypeName(), name)))
	}
	if mask == nil {
		for _, n := range []string{name + "_orig", name + "_mask"} {
			if b.Get(n) != nil || b.GetParameter(n) != nil || b.GetBuffer(n) != nil {
				panic(torch.NewError(op, torch.ErrValue, "name",
					fmt.Sprintf("the %s already has a %q", b.TypeName(), n)))
			}
		}
	}
	return orig, mask
}

// applyMask returns a parameter multiplied by its mask.
func applyMask(orig, mask *torch.Tensor) *torch.Tensor {
	if mask.DType() != orig.DType() {
		return torch.Tidy(func() *torch.Tensor { return mask.To(orig.DType()).Mul(orig) })
	}
	return mask.Mul(orig)
}

// combineMasks applies a method to the remaining part of a pruned tensor, and returns the combined
// mask.
func combineMasks(op string, method Method, scores, old *torch.Tensor) *torch.Tensor {
	mask := old.To(scores.DType()).Clone()
	switch method.Kind() {
	case Unstructured:
		left := old.EqScalar(1)
		part := method.ComputeMask(scores.MaskedSelect(left), old.MaskedSelect(left))
		return mask.MaskedScatter(left, part.To(mask.DType()))
	case Structured:
		dim := mustDim(op, method.Dim(), scores)
		var others torch.Dims
		for d := range scores.Dim() {
			if d != dim {
				others = append(others, d)
			}
		}
		left := mask
		if len(others) > 0 {
			left = mask.Sum(others)
		}
		index := left.Nonzero().Flatten()
		part := method.ComputeMask(scores.IndexSelect(dim, index), old.IndexSelect(dim, index))
		return mask.IndexCopy(dim, index, part.To(mask.DType()))
	}
	return method.ComputeMask(scores, old)
}

func mustDim(op string, dim int64, t *torch.Tensor) int64 {
	n := t.Dim()
	if dim < -n || dim >= n {
		panic(torch.NewError(op, torch.ErrIndex, "dim",
			fmt.Sprintf("dimension %d is out of range for size %v", dim, t.Shape())))
	}
	if dim < 0 {
		dim += n
	}
	return dim
}

// Remove makes a pruned parameter a plain parameter again. Its pruned elements are zero at first,
// and may then change. The parameter is the same tensor as before pruning, and becomes the last of
// the module's parameters. It panics with ErrNil for a nil module, and with ErrValue for a
// parameter that is not pruned. Follows torch.nn.utils.prune.remove.
func Remove(m nn.Module, name string) {
	const op = "Remove"
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	orig, mask := originalAndMask(op, m, name)
	if mask == nil {
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%q is not pruned", name)))
	}
	grad := orig.RequiresGrad()
	torch.NoGrad(func() {
		torch.Scope(func() { orig.SetData(applyMask(orig, mask)) })
	})
	b := m.ModuleBase()
	b.Derive(name, nil)
	b.Unregister(name + "_orig")
	b.Unregister(name + "_mask")
	_ = mask.Close()
	b.RegisterParameter(name, orig)
	orig.SetRequiresGrad(grad)
}

// IsPruned reports whether a module or one of its submodules has a pruned parameter. It panics with
// ErrNil for a nil module. Follows torch.nn.utils.prune.is_pruned.
func IsPruned(m nn.Module) bool {
	for _, below := range nn.Modules(m) {
		b := below.ModuleBase()
		for _, n := range b.NamedBuffers(nn.Recurse(false)) {
			if name := len(n.Name) - len("_mask"); name > 0 && n.Name[name:] == "_mask" && b.IsDerived(n.Name[:name]) {
				return true
			}
		}
	}
	return false
}

// mustCount returns how many of n elements to prune. amount is a number as an int, or a fraction as
// a float64.
func mustCount(op string, amount any, n int64) int64 {
	var k int64
	switch a := amount.(type) {
	case int:
		k = int64(a)
	case int64:
		k = a
	case float64:
		if !(a >= 0 && a <= 1) {
			panic(torch.NewError(op, torch.ErrValue, "amount",
				fmt.Sprintf("expected a fraction from 0 to 1, got %v", a)))
		}
		return int64(math.RoundToEven(a * float64(n)))
	default:
		panic(torch.NewError(op, torch.ErrType, "amount",
			fmt.Sprintf("expected an int or a float64, got a %T", amount)))
	}
	if k < 0 || k > n {
		panic(torch.NewError(op, torch.ErrValue, "amount", fmt.Sprintf("expected a number from 0 to %d, got %d", n, k)))
	}
	return k
}
