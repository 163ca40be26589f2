package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Interpolation sets the value of a quantile between two elements. The default
// is InterpolationLinear. An unknown value panics with ErrValue. It is
// interpolation in Python.
type Interpolation string

// These constants select the quantile if its position is between two elements.
const (
	InterpolationLinear   Interpolation = "linear"   // a weighted mean of both elements
	InterpolationLower    Interpolation = "lower"    // the smaller element
	InterpolationHigher   Interpolation = "higher"   // the larger element
	InterpolationMidpoint Interpolation = "midpoint" // the mean of both elements
	InterpolationNearest  Interpolation = "nearest"  // the nearer element
)

// A QuantileOption is an option of [Tensor.Quantile]: [Dim], [KeepDim] or
// [Interpolation].
//
//gotorch:options Dim KeepDim Interpolation
type QuantileOption interface{ quantileOption() }

func readQuantile(op string, opts []QuantileOption) (a along, interpolation string) {
	interpolation = string(InterpolationLinear)
	for _, o := range opts {
		if i, ok := o.(Interpolation); ok {
			interpolation = string(i)
		} else if !a.take(o) {
			panic(badOption(op, o))
		}
	}
	switch Interpolation(interpolation) {
	case InterpolationLinear, InterpolationLower, InterpolationHigher, InterpolationMidpoint, InterpolationNearest:
		return a, interpolation
	}
	panic(wordError(op, "Interpolation", interpolation, `"linear", "lower", "higher", "midpoint" or "nearest"`))
}

// wordError returns the error for an unknown value of a string option. It
// copies the value, so that the option can stay on its caller's stack.
func wordError(op, arg, got, want string) *Error {
	return argError(op, ErrValue, arg, fmt.Sprintf("expected %s, got %q", want, string([]byte(got))))
}

// Quantile returns the q-quantile of all elements, or with [Dim] the quantiles along that
// dimension, for a q from 0 to 1. It panics with ErrDType unless the elements are float32 or
// float64, with ErrValue for a q out of range or an unknown [Interpolation], with ErrIndex for a
// dimension out of range, and with ErrShape if there are no elements. Follows torch.quantile.
func (t *Tensor) Quantile(q float64, opts ...QuantileOption) *Tensor {
	const op = "Quantile(self)"
	h := t.handle(op, 0)
	o, i := readQuantile(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.QuantileScalar(r.Ctx, h, q, o.single(), o.keepdim, i))
}

// QuantileTensor is [Tensor.Quantile] for each element of q, a vector or scalar
// of t's dtype. The quantiles are the first dimension of the result. It panics
// as Quantile does, and with ErrShape if q has more dimensions.
// Follows torch.quantile.
func (t *Tensor) QuantileTensor(q *Tensor, opts ...QuantileOption) *Tensor {
	const op = "QuantileTensor(self, q)"
	h, hq := t.handle(op, 0), q.handle(op, 1)
	o, i := readQuantile(op, opts)
	r := BeginRaw(op, t, q)
	return r.Tensor(aten.Quantile(r.Ctx, h, hq, o.single(), o.keepdim, i))
}

// NaNQuantile is [Tensor.Quantile] of the elements that are not NaN. It panics
// as Quantile does. Follows torch.nanquantile.
func (t *Tensor) NaNQuantile(q float64, opts ...QuantileOption) *Tensor {
	const op = "NaNQuantile(self)"
	h := t.handle(op, 0)
	o, i := readQuantile(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.NanquantileScalar(r.Ctx, h, q, o.single(), o.keepdim, i))
}

// NaNQuantileTensor is [Tensor.QuantileTensor] of the elements that are not
// NaN. It panics as QuantileTensor does. Follows torch.nanquantile.
func (t *Tensor) NaNQuantileTensor(q *Tensor, opts ...QuantileOption) *Tensor {
	const op = "NaNQuantileTensor(self, q)"
	h, hq := t.handle(op, 0), q.handle(op, 1)
	o, i := readQuantile(op, opts)
	r := BeginRaw(op, t, q)
	return r.Tensor(aten.Nanquantile(r.Ctx, h, hq, o.single(), o.keepdim, i))
}
