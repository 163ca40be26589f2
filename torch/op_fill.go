package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Fill_ sets every element of t to value, a number or a *Tensor without
// dimensions, converted to t's dtype, and returns t. It panics with ErrType for
// any other value, with ErrValue for a number out of range, with ErrShape for a
// tensor with dimensions, and with ErrAutograd for a leaf that requires
// gradients, outside NoGrad. Follows Tensor.fill_.
func (t *Tensor) Fill_(value any) *Tensor {
	const op = "Fill_(self, value)"
	h, v := t.handle(op, 0), operandArg(op, 1, "value", value)
	if v.t != nil {
		r := BeginRaw(op, t, v.t)
		r.Status(aten.Fill_Tensor(r.Ctx, h, v.h))
	} else {
		r := BeginRaw(op, t)
		r.Status(aten.Fill_Scalar(r.Ctx, h, v.s))
	}
	return t
}

// Zero_ sets every element of t to 0 and returns t. It panics with ErrAutograd
// for a leaf that requires gradients, outside NoGrad. Follows Tensor.zero_.
func (t *Tensor) Zero_() *Tensor { return unaryInPlace("Zero_(self)", aten.Zero_, t) }

// Wrap continues the diagonal of a tall matrix below its square part. The
// default is false. The name in Python is wrap.
type Wrap bool

// A FillDiagonalOption is an option of [Tensor.FillDiagonal_]: [Wrap].
//
//gotorch:options Wrap
type FillDiagonalOption interface{ fillDiagonalOption() }

// FillDiagonal_ sets the diagonal of t, which has at least two dimensions, to a number,
// and returns t. It panics with ErrShape for fewer dimensions, with ErrType if value is
// not a number and with ErrAutograd for a leaf that requires gradients outside NoGrad.
// Follows Tensor.fill_diagonal_.
func (t *Tensor) FillDiagonal_(value any, opts ...FillDiagonalOption) *Tensor {
	const op = "FillDiagonal_(self)"
	wrap := readOption(op, opts, Wrap(false))
	return scalarInPlace(op, func(cx abi.Ctx, h abi.Tensor, v abi.Scalar) abi.Status {
		return aten.FillDiagonal_(cx, h, v, bool(wrap))
	}, t, "value", value)
}

// Copy_ overwrites t with src, broadcast to t's shape and converted to t's
// dtype and device, and returns t. With [NonBlocking] it does not wait for a
// copy between host and device. Gradients flow to src. It panics with ErrShape
// if src does not broadcast to t's shape, and with ErrAutograd for a leaf that
// requires gradients, outside NoGrad. Follows Tensor.copy_.
func (t *Tensor) Copy_(src *Tensor, opts ...CopyOption) *Tensor {
	const op = "Copy_(self, src)"
	a, b, c := t.handle(op, 0), src.handle(op, 1), readCreation(op, opts)
	r := BeginRaw(op, t, src)
	st := aten.Copy_(r.Ctx, a, b, c.nonBlocking)
	if r.again(st) {
		st = aten.Copy_(r.Ctx, a, b, c.nonBlocking)
	}
	r.Status(st)
	return t
}
