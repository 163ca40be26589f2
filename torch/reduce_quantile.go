package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Interpolation says what a quantile between two elements is. interpolation in
// Python, InterpolationLinear unless given. Any other word is ErrValue.
type Interpolation string

// The interpolations.
const (
	InterpolationLinear   Interpolation = "linear"   // between both, by distance
	InterpolationLower    Interpolation = "lower"    // the smaller one
	InterpolationHigher   Interpolation = "higher"   // the larger one
	InterpolationMidpoint Interpolation = "midpoint" // the mean of both
	InterpolationNearest  Interpolation = "nearest"  // the nearer one
)

// A QuantileOption says how quantiles are taken: [Dim], [KeepDim],
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

// wordError is the mistake of a word that is not among those that an argument
// knows. It copies the word, so that the option can stay on its caller's stack.
func wordError(op, arg, got, want string) *Error {
	return argError(op, ErrValue, arg, fmt.Sprintf("expected %s, got %q", want, string([]byte(got))))
}

// Quantile returns the q-th quantile of all elements, q from 0 to 1, or with
// [Dim] those along it. The result is a new tensor, owned by the innermost
// scope, else by the collector. It panics with ErrNil or ErrClosed for a tensor
// that is nil or closed, with ErrDType unless the elements are float32 or
// float64, with ErrValue for q out of range or an unknown [Interpolation], with
// ErrIndex if there is no such dimension, and with ErrShape if there are no
// elements. Follows torch.quantile.
func (t *Tensor) Quantile(q float64, opts ...QuantileOption) *Tensor {
	const op = "Quantile(self)"
	h := t.handle(op, 0)
	o, i := readQuantile(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.QuantileScalar(r.Ctx, h, q, o.single(), o.keepdim, i))
}

// QuantileTensor returns several quantiles, one for each element of q, which
// has one dimension at most and t's dtype; they come first in the result's
// shape. The result is a new tensor, owned by the innermost scope, else by the
// collector. It panics as Quantile does, and with ErrShape for a q of more
// dimensions. Follows torch.quantile.
func (t *Tensor) QuantileTensor(q *Tensor, opts ...QuantileOption) *Tensor {
	const op = "QuantileTensor(self, q)"
	h, hq := t.handle(op, 0), q.handle(op, 1)
	o, i := readQuantile(op, opts)
	r := BeginRaw(op, t, q)
	return r.Tensor(aten.Quantile(r.Ctx, h, hq, o.single(), o.keepdim, i))
}

// NaNQuantile is [Tensor.Quantile] of the elements that are not NaN. The result
// is a new tensor, owned by the innermost scope, else by the collector. It
// panics as Quantile does. Follows torch.nanquantile.
func (t *Tensor) NaNQuantile(q float64, opts ...QuantileOption) *Tensor {
	const op = "NaNQuantile(self)"
	h := t.handle(op, 0)
	o, i := readQuantile(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.NanquantileScalar(r.Ctx, h, q, o.single(), o.keepdim, i))
}

// NaNQuantileTensor is [Tensor.QuantileTensor] of the elements that are not
// NaN. The result is a new tensor, owned by the innermost scope, else by the
// collector. It panics as QuantileTensor does. Follows torch.nanquantile.
func (t *Tensor) NaNQuantileTensor(q *Tensor, opts ...QuantileOption) *Tensor {
	const op = "NaNQuantileTensor(self, q)"
	h, hq := t.handle(op, 0), q.handle(op, 1)
	o, i := readQuantile(op, opts)
	r := BeginRaw(op, t, q)
	return r.Tensor(aten.Nanquantile(r.Ctx, h, hq, o.single(), o.keepdim, i))
}
