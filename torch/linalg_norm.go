package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// P is the exponent of a norm. Infinity gives the largest absolute value, minus
// infinity the smallest, and 0 the number of nonzero elements. It is p in
// Python.
type P float64

// A NormOption is an option of [Tensor.Norm]: [P], [Dim] or [Dims], [KeepDim]
// or a [DType].
//
//gotorch:options P Dim Dims KeepDim DType
type NormOption interface{ normOption() }

// Norm returns the [P]-norm (default 2) of all elements, or of the vectors
// along [Dim]; several [Dims] count as flattened. A [DType] is the dtype of the
// sums and the result. It panics with ErrDType for integers, and with ErrIndex
// for a dimension out of range. Follows torch.linalg.vector_norm, and
// Tensor.norm with a number as p.
//
//	x.Norm()
//	x.Norm(torch.P(1), torch.Dim(-1), torch.KeepDim(true))
func (t *Tensor) Norm(opts ...NormOption) *Tensor {
	const op = "Norm(self)"
	h := t.handle(op, 0)
	o, p := along{dtype: -1}, P(2)
	for _, opt := range opts {
		if v, ok := opt.(P); ok {
			p = v
		} else if !o.take(opt) {
			panic(badOption(op, opt))
		}
	}
	r := BeginRaw(op, t)
	return r.Tensor(aten.LinalgVectorNorm(r.Ctx, h, floatScalar(float64(p)), o.list(), o.keepdim, o.dtype))
}

func floatScalar(v float64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarFloat, D: v} }

// Renorm returns t with each slice along dim scaled down so that its p-norm is
// at most maxnorm. Slices with a smaller norm are unchanged. p and maxnorm are
// numbers, p positive. It panics with ErrIndex for a dimension out of range,
// with ErrShape for fewer than two dimensions, with ErrType if p or maxnorm is
// not a number, and with ErrValue if either is out of range.
// Follows torch.renorm.
func (t *Tensor) Renorm(p any, dim int64, maxnorm any) *Tensor {
	const op = "Renorm(self)"
	ord, limit := scalarArg(op, "p", p), scalarArg(op, "maxnorm", maxnorm)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Renorm(cx, h, ord, dim, limit) })
}

// Renorm_ is the in-place form of Renorm. It modifies t, which keeps its shape
// and dtype, and returns t. It panics as Renorm does, and with ErrAutograd for
// a leaf that requires gradients, outside NoGrad. Follows Tensor.renorm_.
func (t *Tensor) Renorm_(p any, dim int64, maxnorm any) *Tensor {
	const op = "Renorm_(self)"
	ord, limit := scalarArg(op, "p", p), scalarArg(op, "maxnorm", maxnorm)
	return unaryInPlace(op, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Renorm_(cx, h, ord, dim, limit)
	}, t)
}

// wholeScalar converts the value of an option such as Alpha to a Scalar. A
// whole number becomes an integer, so that integer tensors keep their dtype.
func wholeScalar(v float64) abi.Scalar {
	if i := int64(v); float64(i) == v && v > -1<<53 && v < 1<<53 {
		return abi.Scalar{Kind: abi.ScalarInt, I: i}
	}
	return abi.Scalar{Kind: abi.ScalarFloat, D: v}
}
