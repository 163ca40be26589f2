package torch

import "github.com/gotorch/gotorch/cgotorch/aten"

// Add returns t + other, or t + alpha * other with an [Alpha]. Shapes broadcast
// and dtypes are promoted, as for every operator of two tensors. It panics with
// ErrShape if the shapes do not broadcast, with ErrDevice if the tensors are on
// different devices, and with ErrDType for integer tensors with an Alpha that
// is not an integer. Follows torch.add.
//
//	x.Add(y)
//	x.Add(y, torch.Alpha(0.5))
func (t *Tensor) Add(other *Tensor, opts ...AddOption) *Tensor {
	const op = "Add(self, other)"
	a, b, alpha := t.handle(op, 0), other.handle(op, 1), readAdd(op, opts)
	r := BeginRaw(op, t, other)
	return r.Tensor(aten.AddTensor(r.Ctx, a, b, alpha))
}

// AddScalar returns t + other, or t + alpha * other with an [Alpha], where
// other is any Go number or bool. If t is an integer tensor, an integer keeps
// its dtype and a float gives the default float type. This holds for every
// operator with a number. It panics with ErrType if other is not a number, and
// with ErrValue if it is out of range. Follows torch.add.
func (t *Tensor) AddScalar(other any, opts ...AddOption) *Tensor {
	const op = "AddScalar(self)"
	h, v, alpha := t.handle(op, 0), scalarArg(op, "other", other), readAdd(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.AddScalar(r.Ctx, h, v, alpha))
}

// Sub returns t - other, or t - alpha * other with an [Alpha]. Shapes broadcast and
// dtypes are promoted as for Add. Sub panics as Add does, and with ErrDType for two bool
// tensors. Follows torch.sub.
func (t *Tensor) Sub(other *Tensor, opts ...AddOption) *Tensor {
	const op = "Sub(self, other)"
	a, b, alpha := t.handle(op, 0), other.handle(op, 1), readAdd(op, opts)
	r := BeginRaw(op, t, other)
	return r.Tensor(aten.SubTensor(r.Ctx, a, b, alpha))
}

// SubScalar returns t - other for a number, or t - alpha * other with an
// [Alpha]. It panics as AddScalar does, and with ErrDType for bools.
// Follows torch.sub.
func (t *Tensor) SubScalar(other any, opts ...AddOption) *Tensor {
	const op = "SubScalar(self)"
	h, v, alpha := t.handle(op, 0), scalarArg(op, "other", other), readAdd(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.SubScalar(r.Ctx, h, v, alpha))
}

// RSub returns other - t, or other - alpha * t with an [Alpha]. It panics as
// Sub does. Follows torch.rsub.
func (t *Tensor) RSub(other *Tensor, opts ...AddOption) *Tensor {
	const op = "RSub(self, other)"
	a, b, alpha := t.handle(op, 0), other.handle(op, 1), readAdd(op, opts)
	r := BeginRaw(op, t, other)
	return r.Tensor(aten.RsubTensor(r.Ctx, a, b, alpha))
}

// RSubScalar returns other - t for a number, or other - alpha * t with an
// [Alpha]. It panics as AddScalar does, and with ErrDType for bools.
// Follows torch.rsub.
func (t *Tensor) RSubScalar(other any, opts ...AddOption) *Tensor {
	const op = "RSubScalar(self)"
	h, v, alpha := t.handle(op, 0), scalarArg(op, "other", other), readAdd(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.RsubScalar(r.Ctx, h, v, alpha))
}

// Div returns t / other. Integers are converted to the default float type first, and a
// division by zero gives an infinity or NaN. With a [RoundingMode] the quotient is
// rounded and integers stay integers; an integer division by zero then panics with
// ErrRuntime. Div panics as Add does, and with ErrValue for an unknown mode. Follows
// torch.div.
//
//	x.Div(y)
//	x.Div(y, torch.RoundingModeFloor)
func (t *Tensor) Div(other *Tensor, opts ...DivOption) *Tensor {
	const op = "Div(self, other)"
	a, b, mode := t.handle(op, 0), other.handle(op, 1), readDiv(op, opts)
	r := BeginRaw(op, t, other)
	if mode == nil {
		return r.Tensor(aten.DivTensor(r.Ctx, a, b))
	}
	return r.Tensor(aten.DivTensorMode(r.Ctx, a, b, mode))
}

// DivScalar is [Tensor.Div] by a number. It panics as AddScalar and Div do.
// Follows torch.div.
func (t *Tensor) DivScalar(other any, opts ...DivOption) *Tensor {
	const op = "DivScalar(self)"
	h, v, mode := t.handle(op, 0), scalarArg(op, "other", other), readDiv(op, opts)
	r := BeginRaw(op, t)
	if mode == nil {
		return r.Tensor(aten.DivScalar(r.Ctx, h, v))
	}
	return r.Tensor(aten.DivScalarMode(r.Ctx, h, v, mode))
}

// ScalarPow returns the number base raised to each element of exponent. It
// panics as AddScalar does, and with ErrDType for a bool raised to bools.
// Follows torch.pow.
func ScalarPow(base any, exponent *Tensor) *Tensor {
	const op = "ScalarPow(exponent)"
	v, h := scalarArg(op, "base", base), exponent.handle(op, 0)
	r := BeginRaw(op, exponent)
	return r.Tensor(aten.PowScalar(r.Ctx, v, h))
}
