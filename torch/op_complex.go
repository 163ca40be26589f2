package torch

import "github.com/gotorch/gotorch/cgotorch/aten"

// Complex returns re + i*im as a complex tensor. Shapes broadcast. It panics
// with ErrDType unless both have the same floating-point dtype, and with
// ErrShape if the shapes do not broadcast. Follows torch.complex.
func Complex(re, im *Tensor) *Tensor { return binary("Complex(re, im)", aten.Complex, re, im) }

// Polar returns abs * (cos(angle) + i*sin(angle)) as a complex tensor. It
// panics as Complex does. Follows torch.polar.
func Polar(abs, angle *Tensor) *Tensor { return binary("Polar(abs, angle)", aten.Polar, abs, angle) }

// ConjPhysical returns the complex conjugate of a complex tensor in new memory.
// A real tensor is returned unchanged and shares t's memory.
// Follows torch.conj_physical.
func (t *Tensor) ConjPhysical() *Tensor { return unary("ConjPhysical(self)", aten.ConjPhysical, t) }

// ConjPhysical_ is the in-place form of ConjPhysical. It modifies t, which
// keeps its shape and dtype, and returns t. It panics as ConjPhysical does, and
// with ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.conj_physical_.
func (t *Tensor) ConjPhysical_() *Tensor {
	return unaryInPlace("ConjPhysical_(self)", aten.ConjPhysical_, t)
}

// ResolveConj returns a copy of t with a lazy Conj computed. If there is none,
// the result shares t's memory. Follows torch.resolve_conj.
func (t *Tensor) ResolveConj() *Tensor { return unary("ResolveConj(self)", aten.ResolveConj, t) }

// ResolveNeg returns a copy of t with a lazy negation computed, as in the
// imaginary part of a conjugate. If there is none, the result shares t's
// memory. Follows torch.resolve_neg.
func (t *Tensor) ResolveNeg() *Tensor { return unary("ResolveNeg(self)", aten.ResolveNeg, t) }

// IsConj reports whether t has a lazy Conj. Follows torch.is_conj.
func (t *Tensor) IsConj() bool {
	const op = "IsConj(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	pending, st := aten.IsConj(r.Ctx, h)
	r.Status(st)
	return pending
}
