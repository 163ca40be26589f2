package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Add returns t + other. Shapes broadcast, and dtypes are promoted as in
// PyTorch. The result is a new tensor. It panics with ErrShape if the shapes do
// not broadcast, with ErrDevice if the tensors are on different devices, and
// with ErrNil or ErrClosed for an unusable argument; what is said here holds
// for every operator of two tensors. Follows torch.add.
func (t *Tensor) Add(other *Tensor) *Tensor {
	const op = "Add(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op)
	return r.Tensor(aten.AddTensor(r.Ctx, a, b, one), t, other)
}

// AddScalar returns t + other, where other is any Go number, bool or complex.
// An integer keeps an integer tensor's dtype, a float makes it the default
// float type. It panics with ErrType if other is no number and with ErrValue if
// it does not fit; what is said here holds for every operator with a number.
// Follows torch.add.
func (t *Tensor) AddScalar(other any) *Tensor {
	const op = "AddScalar(self)"
	h, v := t.handle(op, 0), scalarArg(op, "other", other)
	r := BeginRaw(op)
	return r.Tensor(aten.AddScalar(r.Ctx, h, v, one), t)
}

// AddAlpha returns t + alpha * other. It panics as Add does, and with ErrDType
// for a float alpha with integer tensors. Follows torch.add(..., alpha=alpha).
func (t *Tensor) AddAlpha(other *Tensor, alpha any) *Tensor {
	const op = "AddAlpha(self, other)"
	a, b, v := t.handle(op, 0), other.handle(op, 1), scalarArg(op, "alpha", alpha)
	r := BeginRaw(op)
	return r.Tensor(aten.AddTensor(r.Ctx, a, b, v), t, other)
}

// Sub returns t - other, broadcast and promoted as Add does. It panics as Add
// does, and with ErrDType for two bool tensors. Follows torch.sub.
func (t *Tensor) Sub(other *Tensor) *Tensor {
	const op = "Sub(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op)
	return r.Tensor(aten.SubTensor(r.Ctx, a, b, one), t, other)
}

// SubScalar returns t - other for a number. Panics are those of AddScalar.
// Follows torch.sub.
func (t *Tensor) SubScalar(other any) *Tensor {
	const op = "SubScalar(self)"
	h, v := t.handle(op, 0), scalarArg(op, "other", other)
	r := BeginRaw(op)
	return r.Tensor(aten.SubScalar(r.Ctx, h, v, one), t)
}

// SubAlpha returns t - alpha * other. Panics are those of AddAlpha. Follows
// torch.sub(..., alpha=alpha).
func (t *Tensor) SubAlpha(other *Tensor, alpha any) *Tensor {
	const op = "SubAlpha(self, other)"
	a, b, v := t.handle(op, 0), other.handle(op, 1), scalarArg(op, "alpha", alpha)
	r := BeginRaw(op)
	return r.Tensor(aten.SubTensor(r.Ctx, a, b, v), t, other)
}

// RSub returns other - t. Panics are those of Add. Follows torch.rsub.
func (t *Tensor) RSub(other *Tensor) *Tensor {
	const op = "RSub(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op)
	return r.Tensor(aten.RsubTensor(r.Ctx, a, b, one), t, other)
}

// RSubScalar returns other - t for a number, Python's 1 - t. Panics are those
// of AddScalar. Follows torch.rsub.
func (t *Tensor) RSubScalar(other any) *Tensor {
	const op = "RSubScalar(self)"
	h, v := t.handle(op, 0), scalarArg(op, "other", other)
	r := BeginRaw(op)
	return r.Tensor(aten.RsubScalar(r.Ctx, h, v, one), t)
}

// Div returns t / other as a floating-point (or complex) tensor: integers are
// converted to the default float type first. A division by zero gives an
// infinity or NaN. Panics are those of Add. Follows torch.div.
func (t *Tensor) Div(other *Tensor) *Tensor {
	const op = "Div(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op)
	return r.Tensor(aten.DivTensor(r.Ctx, a, b), t, other)
}

// DivScalar returns t / other for a number, as Div does. Panics are those of
// AddScalar. Follows torch.div.
func (t *Tensor) DivScalar(other any) *Tensor {
	const op = "DivScalar(self)"
	h, v := t.handle(op, 0), scalarArg(op, "other", other)
	r := BeginRaw(op)
	return r.Tensor(aten.DivScalar(r.Ctx, h, v), t)
}

// RoundingMode says how [Tensor.DivMode] rounds a quotient, rounding_mode in
// Python. The zero RoundingMode does not round.
type RoundingMode string

// The rounding modes.
const (
	RoundTrunc RoundingMode = "trunc" // towards zero, as Go and C divide integers
	RoundFloor RoundingMode = "floor" // down, as Python's //
)

func (m RoundingMode) arg(op string) *string {
	switch s := string(m); m {
	case "":
		return nil
	case RoundTrunc, RoundFloor:
		return &s
	}
	panic(argError(op, ErrValue, "mode", fmt.Sprintf("expected RoundTrunc, RoundFloor or none, got %q", string(m))))
}

// DivMode returns t / other rounded as mode says; with a rounding mode integers
// stay integers. It panics as Add does, with ErrValue for an unknown mode, and
// with ErrRuntime for an integer division by zero. Follows torch.div(...,
// rounding_mode=mode).
func (t *Tensor) DivMode(other *Tensor, mode RoundingMode) *Tensor {
	const op = "DivMode(self, other)"
	a, b, m := t.handle(op, 0), other.handle(op, 1), mode.arg(op)
	r := BeginRaw(op)
	return r.Tensor(aten.DivTensorMode(r.Ctx, a, b, m), t, other)
}

// DivScalarMode is DivMode for a number. Panics are those of AddScalar and
// DivMode. Follows torch.div(..., rounding_mode=mode).
func (t *Tensor) DivScalarMode(other any, mode RoundingMode) *Tensor {
	const op = "DivScalarMode(self)"
	h, v, m := t.handle(op, 0), scalarArg(op, "other", other), mode.arg(op)
	r := BeginRaw(op)
	return r.Tensor(aten.DivScalarMode(r.Ctx, h, v, m), t)
}

// ScalarPow returns a number raised to each element of exponent, Python's base
// ** t. Panics are those of AddScalar. Follows torch.pow.
func ScalarPow(base any, exponent *Tensor) *Tensor {
	const op = "ScalarPow(exponent)"
	v, h := scalarArg(op, "base", base), exponent.handle(op, 0)
	r := BeginRaw(op)
	return r.Tensor(aten.PowScalar(r.Ctx, v, h), exponent)
}
