package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Differences and integrals along one dimension.

// N is how often differences are taken, or how many columns a Vandermonde
// matrix has. n and N in Python.
type N int64

// Dx is the distance between neighbouring points; 1 without it. dx in Python.
type Dx float64

type (
	prepend struct{ t *Tensor }
	appends struct{ t *Tensor }
)

// Prepend puts a tensor in front of the first element before differences are
// taken; Prepend(nil) puts none. prepend in Python.
func Prepend(t *Tensor) DiffOption { return prepend{t} }

// Append puts a tensor behind the last element before differences are taken;
// Append(nil) puts none. append in Python.
func Append(t *Tensor) DiffOption { return appends{t} }

// A DiffOption says how differences are taken: [N], [Dim], [Prepend], [Append].
//
//gotorch:options N Dim prepend appends
type DiffOption interface{ diffOption() }

// A TrapezoidOption says what is integrated: [Dx], [Dim].
//
//gotorch:options Dx Dim
type TrapezoidOption interface{ trapezoidOption() }

// Diff returns the differences of neighbours along [Dim], the last dimension
// unless given, taken [N] times, once unless given; the dimension shrinks by as
// much. The result is a new tensor, owned by the innermost scope, else by the
// collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, with ErrValue for a negative N, with ErrIndex if there is no such
// dimension and with ErrShape if what is put before or behind does not fit.
// Follows torch.diff.
func (t *Tensor) Diff(opts ...DiffOption) *Tensor {
	const op = "Diff(self, prepend, append)"
	h := t.handle(op, 0)
	n, dim := int64(1), int64(-1)
	var before, after *Tensor
	for _, o := range opts {
		switch o := o.(type) {
		case N:
			n = int64(o)
		case Dim:
			dim = int64(o)
		case prepend:
			before = unseen(o.t)
		case appends:
			after = unseen(o.t)
		default:
			panic(badOption(op, o))
		}
	}
	hb, ha := before.OptionalHandleFor(op, 1), after.OptionalHandleFor(op, 2)
	r := BeginRaw(op, t, before, after)
	return r.Tensor(aten.Diff(r.Ctx, h, n, dim, hb, ha))
}

func readTrapezoid(op string, opts []TrapezoidOption) (dx abi.Scalar, dim int64) {
	dx, dim = one, -1
	for _, o := range opts {
		switch o := o.(type) {
		case Dx:
			dx = wholeScalar(float64(o))
		case Dim:
			dim = int64(o)
		default:
			panic(badOption(op, o))
		}
	}
	return dx, dim
}

// Trapezoid integrates t along [Dim], the last dimension unless given, by the
// trapezoidal rule, with points [Dx] apart. The result is a new tensor, owned
// by the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, with ErrIndex if there is no
// such dimension, and with ErrDType for bools. Follows torch.trapezoid.
func (t *Tensor) Trapezoid(opts ...TrapezoidOption) *Tensor {
	const op = "Trapezoid(self)"
	h := t.handle(op, 0)
	dx, dim := readTrapezoid(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.TrapezoidDx(r.Ctx, h, dx, dim))
}

// TrapezoidAt is [Tensor.Trapezoid] for points at the places x, whose shape
// broadcasts to t's. The result is a new tensor, owned by the innermost scope,
// else by the collector. It panics with ErrNil or ErrClosed for a tensor that
// is nil or closed, with ErrShape if it does not, with ErrIndex if there is no
// such dimension, and with ErrDType for bools. Follows torch.trapezoid with x.
func (t *Tensor) TrapezoidAt(x *Tensor, dim ...Dim) *Tensor {
	const op = "TrapezoidAt(self, x)"
	h, hx, o := t.handle(op, 0), x.handle(op, 1), alongOne(dim)
	r := BeginRaw(op, t, x)
	return r.Tensor(aten.TrapezoidX(r.Ctx, h, hx, o.or(-1)))
}

// CumulativeTrapezoid returns the running results of [Tensor.Trapezoid]; the
// dimension shrinks by one. The result is a new tensor, owned by the innermost
// scope, else by the collector. It panics as Trapezoid does.
// Follows torch.cumulative_trapezoid.
func (t *Tensor) CumulativeTrapezoid(opts ...TrapezoidOption) *Tensor {
	const op = "CumulativeTrapezoid(self)"
	h := t.handle(op, 0)
	dx, dim := readTrapezoid(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.CumulativeTrapezoidDx(r.Ctx, h, dx, dim))
}
