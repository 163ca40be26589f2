package functional

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// CosineSimilarity returns the cosine of the angle between x1 and x2 along
// dim, which broadcast; lengths below eps count as eps, 1e-8 if it is not given.
// Follows torch.nn.functional.cosine_similarity.
func CosineSimilarity(x1, x2 *torch.Tensor, dim int64, eps ...float64) *torch.Tensor {
	const op = "CosineSimilarity(x1, x2)"
	e := numberOr(op, eps, 1e-8)
	a, b := x1.HandleFor(op, 0), x2.HandleFor(op, 1)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.CosineSimilarity(r.Ctx, a, b, dim, e), x1, x2)
}

// NormalizeOptions are the rarer arguments of [Normalize].
type NormalizeOptions struct {
	P   *float64 // nil: 2
	Dim *int64   // nil: 1
	Eps *float64 // nil: 1e-12
}

// Normalize divides x by its p-norm along a dimension, or by eps where the
// norm is smaller. Follows torch.nn.functional.normalize.
func Normalize(x *torch.Tensor, opts ...NormalizeOptions) *torch.Tensor {
	const op = "Normalize(input)"
	o := option(op, opts)
	dim := int64(1)
	if o.Dim != nil {
		dim = *o.Dim
	}
	p, eps := orDefault(o.P, 2), orDefault(o.Eps, 1e-12)
	return torch.Tidy(func() *torch.Tensor {
		norm := unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
			return aten.LinalgVectorNorm(cx, h, float(p), []int64{dim}, true, -1)
		}, x)
		floor := unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ClampMin(cx, h, float(eps)) }, norm)
		a, b := x.HandleFor(op, 0), floor.HandleFor(op, 1)
		r := torch.BeginRaw(op)
		return r.Tensor(aten.DivTensor(r.Ctx, a, b), x, floor)
	})
}
