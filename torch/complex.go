package torch

import "github.com/gotorch/gotorch/cgotorch/aten"

// Complex returns re + i*im as a complex tensor. Both must be of one
// floating-point dtype, else it panics with ErrDType; the shapes broadcast.
// Follows torch.complex.
func Complex(re, im *Tensor) *Tensor { return binary("Complex(real, imag)", aten.Complex, re, im) }

// Polar returns abs * (cos(angle) + i*sin(angle)) as a complex tensor.
// Arguments and panics are those of Complex. Follows torch.polar.
func Polar(abs, angle *Tensor) *Tensor { return binary("Polar(abs, angle)", aten.Polar, abs, angle) }

// Real returns the real parts, as a view that shares t's memory; a real tensor
// is returned as it is, as a handle of its own. Follows torch.real.
func (t *Tensor) Real() *Tensor { return unary("Real(self)", aten.Real, t) }

// Imag returns the imaginary parts, as a view that shares t's memory. It panics
// with ErrDType for a real tensor. Follows torch.imag.
func (t *Tensor) Imag() *Tensor { return unary("Imag(self)", aten.Imag, t) }

// Conj returns the complex conjugate as a view that shares t's memory and
// computes it when it is read; see ResolveConj. A real tensor is returned as it
// is. Follows torch.conj.
func (t *Tensor) Conj() *Tensor { return unary("Conj(self)", aten.Conj, t) }

// ConjPhysical returns the complex conjugate in new memory. Follows
// torch.conj_physical.
func (t *Tensor) ConjPhysical() *Tensor { return unary("ConjPhysical(self)", aten.ConjPhysical, t) }

// ResolveConj returns t with a pending Conj computed, in new memory, and t as
// it is, as a handle of its own, if none is pending. Follows
// torch.resolve_conj.
func (t *Tensor) ResolveConj() *Tensor { return unary("ResolveConj(self)", aten.ResolveConj, t) }

// ResolveNeg is ResolveConj for a pending negation, as in the imaginary part of
// a conjugate. Follows torch.resolve_neg.
func (t *Tensor) ResolveNeg() *Tensor { return unary("ResolveNeg(self)", aten.ResolveNeg, t) }

// IsConj reports whether a Conj is pending. Follows torch.is_conj.
func (t *Tensor) IsConj() bool {
	const op = "IsConj(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op)
	pending, st := aten.IsConj(r.Ctx, h)
	r.Status(st, t)
	return pending
}

// Angle returns the angle in radians; for real numbers 0, or pi if they are
// negative. Follows torch.angle.
func (t *Tensor) Angle() *Tensor { return unary("Angle(self)", aten.Angle, t) }

// ViewAsReal returns a view of a complex tensor with a last dimension of 2 for
// real and imaginary part. It shares t's memory. It panics with ErrRuntime for
// a real tensor and while a Conj is pending. Follows torch.view_as_real.
func (t *Tensor) ViewAsReal() *Tensor { return unary("ViewAsReal(self)", aten.ViewAsReal, t) }

// ViewAsComplex is the reverse of ViewAsReal, a view too. It panics with
// ErrShape or ErrDType unless t is of floating point and its last dimension is
// 2 with stride 1. Follows torch.view_as_complex.
func (t *Tensor) ViewAsComplex() *Tensor { return unary("ViewAsComplex(self)", aten.ViewAsComplex, t) }
