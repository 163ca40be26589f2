package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// This file has differences and integrals along one dimension.

// N is the number of times that [Tensor.Diff] takes differences, or the number of
// powers that [Tensor.Vander] computes, one per column. It is n or N in Python.
type N int64

// Dx is the distance between neighboring points. The default is 1. It is dx in Python.
type Dx float64

type (
	prepend struct{ t *Tensor }
	appends struct{ t *Tensor }
)

// Prepend puts a tensor in front of the first element before differences are taken.
// Prepend(nil) inserts nothing. It is prepend in Python.
func Prepend(t *Tensor) DiffOption { return prepend{t} }

// Append puts a tensor after the last element before differences are taken. Append(nil)
// adds nothing. It is append in Python.
func Append(t *Tensor) DiffOption { return appends{t} }

// A DiffOption is an option of [Tensor.Diff]: [N], [Dim], [Prepend] or
// [Append].
//
//gotorch:options N Dim prepend appends
type DiffOption interface{ diffOption() }

// A TrapezoidOption is an option of [Tensor.Trapezoid]: [Dx] or [Dim].
//
//gotorch:options Dx Dim
type TrapezoidOption interface{ trapezoidOption() }

// Diff returns the [N]-th differences (default the first) of neighbors along [Dim]
// (default the last dimension), which shrinks by N. It panics with ErrValue for a
// negative N, with ErrIndex for a dimension out of range, and with ErrShape if a
// prepended or appended tensor does not match. Follows torch.diff.
func (t *Tensor) Diff(opts ...DiffOption) *Tensor {
	const op = "Diff(self, prepend, append)"
	h := t.handle(op, 0)
	n, dim, first, last := readOptions4(op, opts, N(1), Dim(-1), prepend{}, appends{})
	before, after := unseen(first.t), unseen(last.t)
	hb, ha := before.OptionalHandleFor(op, 1), after.OptionalHandleFor(op, 2)
	r := BeginRaw(op, t, before, after)
	return r.Tensor(aten.Diff(r.Ctx, h, int64(n), int64(dim), hb, ha))
}

func readTrapezoid(op string, opts []TrapezoidOption) (dx abi.Scalar, dim int64) {
	x, d := readOptions2(op, opts, Dx(1), Dim(-1))
	return wholeScalar(float64(x)), int64(d)
}

// Trapezoid integrates t along [Dim] (default the last dimension) by the
// trapezoidal rule, with points at distance [Dx]. It panics with ErrIndex for a
// dimension out of range, and with ErrDType for bools. Follows torch.trapezoid.
func (t *Tensor) Trapezoid(opts ...TrapezoidOption) *Tensor {
	const op = "Trapezoid(self)"
	h := t.handle(op, 0)
	dx, dim := readTrapezoid(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.TrapezoidDx(r.Ctx, h, dx, dim))
}

// TrapezoidAt is [Tensor.Trapezoid] for points at the positions x, whose shape
// must broadcast to t's. It panics with ErrShape if x does not broadcast, with
// ErrIndex for a dimension out of range, and with ErrDType for bools. Follows
// torch.trapezoid with x.
func (t *Tensor) TrapezoidAt(x *Tensor, dim ...Dim) *Tensor {
	const op = "TrapezoidAt(self, x)"
	h, hx, d := t.handle(op, 0), x.handle(op, 1), int64(lastOf(dim, -1))
	r := BeginRaw(op, t, x)
	return r.Tensor(aten.TrapezoidX(r.Ctx, h, hx, d))
}

// CumulativeTrapezoid returns the running results of [Tensor.Trapezoid]. The
// dimension shrinks by one. It panics as Trapezoid does.
// Follows torch.cumulative_trapezoid.
func (t *Tensor) CumulativeTrapezoid(opts ...TrapezoidOption) *Tensor {
	const op = "CumulativeTrapezoid(self)"
	h := t.handle(op, 0)
	dx, dim := readTrapezoid(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.CumulativeTrapezoidDx(r.Ctx, h, dx, dim))
}
