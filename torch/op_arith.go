package torch

import "github.com/gotorch/gotorch/cgotorch/aten"

// Add returns t + other, or t + alpha * other with an [Alpha]. Shapes
// broadcast, and dtypes are promoted as in PyTorch. An Alpha that is no whole
// number is ErrDType with integer tensors. The result is a new tensor, owned by
// the innermost scope, else by the collector. It panics with ErrShape if the
// shapes do not broadcast, with ErrDevice if the tensors are on different
// devices, and with ErrNil or ErrClosed for an unusable argument; what is said
// here holds for every operator of two tensors. Follows torch.add.
//
//	x.Add(y)
//	x.Add(y, torch.Alpha(0.5))
func (t *Tensor) Add(other *Tensor, opts ...AddOption) *Tensor {
	const op = "Add(self, other)"
	a, b, alpha := t.handle(op, 0), other.handle(op, 1), readAdd(op, opts)
	r := BeginRaw(op, t, other)
	return r.Tensor(aten.AddTensor(r.Ctx, a, b, alpha))
}

// AddScalar returns t + other, or t + alpha * other with an [Alpha], as a new
// tensor, where other is any Go number, bool or complex. An integer keeps an
// integer tensor's dtype, a float makes it the default float type. The result
// is owned by the innermost scope, else by the collector. It panics with ErrNil
// or ErrClosed for a tensor that is nil or closed, with ErrType if other is no
// number and with ErrValue if it does not fit; what is said here holds for
// every operator with a number. Follows torch.add.
func (t *Tensor) AddScalar(other any, opts ...AddOption) *Tensor {
	const op = "AddScalar(self)"
	h, v, alpha := t.handle(op, 0), scalarArg(op, "other", other), readAdd(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.AddScalar(r.Ctx, h, v, alpha))
}

// Sub returns t - other, or t - alpha * other with an [Alpha], broadcast and
// promoted as Add does, as a new tensor, owned by the innermost scope, else by
// the collector. It panics as Add does, and with ErrDType for two bool tensors.
// Follows torch.sub.
func (t *Tensor) Sub(other *Tensor, opts ...AddOption) *Tensor {
	const op = "Sub(self, other)"
	a, b, alpha := t.handle(op, 0), other.handle(op, 1), readAdd(op, opts)
	r := BeginRaw(op, t, other)
	return r.Tensor(aten.SubTensor(r.Ctx, a, b, alpha))
}

// SubScalar returns t - other for a number, or t - alpha * other with an
// [Alpha], as a new tensor, owned by the innermost scope, else by the
// collector. It panics as AddScalar does, and with ErrDType for bools.
// Follows torch.sub.
func (t *Tensor) SubScalar(other any, opts ...AddOption) *Tensor {
	const op = "SubScalar(self)"
	h, v, alpha := t.handle(op, 0), scalarArg(op, "other", other), readAdd(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.SubScalar(r.Ctx, h, v, alpha))
}

// RSub returns other - t, or other - alpha * t with an [Alpha], as a new
// tensor, owned by the innermost scope, else by the collector. It panics as Sub
// does. Follows torch.rsub.
func (t *Tensor) RSub(other *Tensor, opts ...AddOption) *Tensor {
	const op = "RSub(self, other)"
	a, b, alpha := t.handle(op, 0), other.handle(op, 1), readAdd(op, opts)
	r := BeginRaw(op, t, other)
	return r.Tensor(aten.RsubTensor(r.Ctx, a, b, alpha))
}

// RSubScalar returns other - t for a number, Python's 1 - t, or other - alpha *
// t with an [Alpha], as a new tensor, owned by the innermost scope, else by the
// collector. It panics as AddScalar does, and with ErrDType for bools.
// Follows torch.rsub.
func (t *Tensor) RSubScalar(other any, opts ...AddOption) *Tensor {
	const op = "RSubScalar(self)"
	h, v, alpha := t.handle(op, 0), scalarArg(op, "other", other), readAdd(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.RsubScalar(r.Ctx, h, v, alpha))
}

// Div returns t / other as a new floating-point (or complex) tensor: integers
// are converted to the default float type first. A division by zero gives an
// infinity or NaN. With a [RoundingMode] the quotient is rounded, integers stay
// integers, and their division by zero is ErrRuntime. The result is owned by
// the innermost scope, else by the collector. It panics as Add does, and with
// ErrValue for an unknown mode. Follows torch.div.
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

// DivScalar returns t / other for a number, as [Tensor.Div] does and with its
// options, as a new tensor, owned by the innermost scope, else by the
// collector. It panics as AddScalar and Div do. Follows torch.div.
func (t *Tensor) DivScalar(other any, opts ...DivOption) *Tensor {
	const op = "DivScalar(self)"
	h, v, mode := t.handle(op, 0), scalarArg(op, "other", other), readDiv(op, opts)
	r := BeginRaw(op, t)
	if mode == nil {
		return r.Tensor(aten.DivScalar(r.Ctx, h, v))
	}
	return r.Tensor(aten.DivScalarMode(r.Ctx, h, v, mode))
}

// ScalarPow returns a number raised to each element of exponent, Python's base
// ** t. The result is a new tensor, owned by the innermost scope, else by the
// collector. It panics as AddScalar does, and with ErrDType for a bool raised
// to bools. Follows torch.pow.
func ScalarPow(base any, exponent *Tensor) *Tensor {
	const op = "ScalarPow(exponent)"
	v, h := scalarArg(op, "base", base), exponent.handle(op, 0)
	r := BeginRaw(op, exponent)
	return r.Tensor(aten.PowScalar(r.Ctx, v, h))
}
