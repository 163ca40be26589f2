package torch

import "github.com/gotorch/gotorch/cgotorch/aten"

// Complex returns re + i*im as a complex tensor. Both are of one floating-point
// dtype; the shapes broadcast. The result is a new tensor, owned by the
// innermost scope, else by the collector. It panics with ErrNil or ErrClosed
// for a tensor that is nil or closed, with ErrDType unless both are of one
// floating-point dtype, and with ErrShape if the shapes do not broadcast.
// Follows torch.complex.
func Complex(re, im *Tensor) *Tensor { return binary("Complex(re, im)", aten.Complex, re, im) }

// Polar returns abs * (cos(angle) + i*sin(angle)) as a complex tensor.
// Arguments are those of Complex. Owner and panics are those of Complex.
// Follows torch.polar.
func Polar(abs, angle *Tensor) *Tensor { return binary("Polar(abs, angle)", aten.Polar, abs, angle) }

// ConjPhysical returns the complex conjugate of a complex tensor in new memory.
// A real tensor is returned as it is, as a handle of its own that shares t's
// memory. The result is owned by the innermost scope, else by the collector. It
// panics with ErrNil or ErrClosed for an unusable t.
// Follows torch.conj_physical.
func (t *Tensor) ConjPhysical() *Tensor { return unary("ConjPhysical(self)", aten.ConjPhysical, t) }

// ConjPhysical_ is ConjPhysical in place: it changes t, which keeps its shape
// and dtype, and returns t. It panics as ConjPhysical does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.conj_physical_.
func (t *Tensor) ConjPhysical_() *Tensor {
	return unaryInPlace("ConjPhysical_(self)", aten.ConjPhysical_, t)
}

// ResolveConj returns t with a pending Conj computed, in new memory; if none is
// pending, the result is a handle of its own that shares t's memory. It is
// owned by the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed. Follows torch.resolve_conj.
func (t *Tensor) ResolveConj() *Tensor { return unary("ResolveConj(self)", aten.ResolveConj, t) }

// ResolveNeg is ResolveConj for a pending negation, as in the imaginary part of
// a conjugate. Sharing, owner and panics are those of ResolveConj.
// Follows torch.resolve_neg.
func (t *Tensor) ResolveNeg() *Tensor { return unary("ResolveNeg(self)", aten.ResolveNeg, t) }

// IsConj reports whether a Conj is pending. It panics with ErrNil or ErrClosed
// for a tensor that is nil or closed. Follows torch.is_conj.
func (t *Tensor) IsConj() bool {
	const op = "IsConj(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	pending, st := aten.IsConj(r.Ctx, h)
	r.Status(st)
	return pending
}
