package torch

import "github.com/gotorch/gotorch/cgotorch/abi"

// This file has the signatures of native operators, and for each signature a function
// that calls such an operator. Hot operators (Add, Mul, MatMul, ReLU and the like)
// repeat these lines, because a call through a func value costs a nanosecond or two.

type (
	unaryFunc   = func(abi.Ctx, abi.Tensor) abi.Ret
	binaryFunc  = func(_ abi.Ctx, _, _ abi.Tensor) abi.Ret
	ternaryFunc = func(_ abi.Ctx, _, _, _ abi.Tensor) abi.Ret
	scalarFunc  = func(abi.Ctx, abi.Tensor, abi.Scalar) abi.Ret

	unaryInto   = func(abi.Ctx, abi.Tensor) abi.Status
	binaryInto  = func(_ abi.Ctx, _, _ abi.Tensor) abi.Status
	ternaryInto = func(_ abi.Ctx, _, _, _ abi.Tensor) abi.Status
	scalarInto  = func(abi.Ctx, abi.Tensor, abi.Scalar) abi.Status
)

// one is the default factor of operators.
var one = abi.Scalar{Kind: abi.ScalarInt, I: 1}

// unary calls an operator of one tensor. op is the operator's name with its
// tensor arguments, such as "Exp(self)".
func unary(op string, f unaryFunc, t *Tensor) *Tensor {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	return r.Tensor(f(r.Ctx, h))
}

func binary(op string, f binaryFunc, a, b *Tensor) *Tensor {
	ha, hb := a.handle(op, 0), b.handle(op, 1)
	r := BeginRaw(op, a, b)
	return r.Tensor(f(r.Ctx, ha, hb))
}

func ternary(op string, f ternaryFunc, a, b, c *Tensor) *Tensor {
	ha, hb, hc := a.handle(op, 0), b.handle(op, 1), c.handle(op, 2)
	r := BeginRaw(op, a, b, c)
	return r.Tensor(f(r.Ctx, ha, hb, hc))
}

// withScalar calls an operator of a tensor and a number; arg is the number's
// name in errors.
func withScalar(op string, f scalarFunc, t *Tensor, arg string, v any) *Tensor {
	h := t.handle(op, 0)
	s := scalarArg(op, arg, v)
	r := BeginRaw(op, t)
	return r.Tensor(f(r.Ctx, h, s))
}

// call runs an operator with any other arguments. f gets the receiver's handle
// and must not panic.
func call(op string, t *Tensor, f func(cx abi.Ctx, self abi.Tensor) abi.Ret) *Tensor {
	return unary(op, f, t)
}

// unaryInPlace calls an elementwise operator that modifies its tensor, and
// returns the tensor. If memory runs out it calls the operator again, as do
// binaryInPlace and ternaryInPlace; see Raw.again.
func unaryInPlace(op string, f unaryInto, t *Tensor) *Tensor {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	st := f(r.Ctx, h)
	if r.again(st) {
		st = f(r.Ctx, h)
	}
	r.Status(st)
	return t
}

// binaryInPlace calls an elementwise operator that modifies the first of two
// tensors, and returns that tensor.
func binaryInPlace(op string, f binaryInto, a, b *Tensor) *Tensor {
	ha, hb := a.handle(op, 0), b.handle(op, 1)
	r := BeginRaw(op, a, b)
	st := f(r.Ctx, ha, hb)
	if r.again(st) {
		st = f(r.Ctx, ha, hb)
	}
	r.Status(st)
	return a
}

// ternaryInPlace calls an operator that modifies the first of three tensors,
// and returns that tensor.
func ternaryInPlace(op string, f ternaryInto, a, b, c *Tensor) *Tensor {
	ha, hb, hc := a.handle(op, 0), b.handle(op, 1), c.handle(op, 2)
	r := BeginRaw(op, a, b, c)
	r.Status(f(r.Ctx, ha, hb, hc))
	return a
}

// scalarInPlace calls an elementwise operator of a tensor and a number that
// modifies the tensor, and returns the tensor.
func scalarInPlace(op string, f scalarInto, t *Tensor, arg string, v any) *Tensor {
	h := t.handle(op, 0)
	s := scalarArg(op, arg, v)
	r := BeginRaw(op, t)
	st := f(r.Ctx, h, s)
	if r.again(st) {
		st = f(r.Ctx, h, s)
	}
	r.Status(st)
	return t
}

// partOf runs fn, which calls other functions of this package for op, so that
// their errors name op.
func partOf(op string, fn func()) {
	if e, ok := Try(fn).(*Error); ok { //nolint:errorlint // Try returns no other
		e.Op, _ = splitOp(op)
		panic(e)
	}
}
