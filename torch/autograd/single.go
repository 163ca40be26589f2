package autograd

import "github.com/gotorch/gotorch/torch"

// The functions in this file differentiate functions of one tensor with one result. Functions whose
// names end in N, such as JacobianN, accept several tensors and results.

// Jacobian returns the derivatives of fn's result with respect to x, as a tensor. Its
// shape is the shape of the result followed by the shape of x. Jacobian is [JacobianN]
// for one tensor; see JacobianN for options, panics and ownership.
func Jacobian(fn func(x *torch.Tensor) *torch.Tensor, x *torch.Tensor, opts ...JacobianOption) *torch.Tensor {
	const op = "autograd.Jacobian"
	return jacobianOf(op, one(op, fn), []*torch.Tensor{x}, opts)[0][0]
}

// Hessian returns the second derivatives of fn, whose result must be a single number. The
// shape of the Hessian is the shape of x, twice. Hessian is [HessianN] for one tensor;
// see HessianN for options, panics and ownership.
func Hessian(fn func(x *torch.Tensor) *torch.Tensor, x *torch.Tensor, opts ...HessianOption) *torch.Tensor {
	const op = "autograd.Hessian"
	return hessianOf(op, one(op, fn), []*torch.Tensor{x}, opts)[0][0]
}

// VJP returns fn's result and the vector-Jacobian product with v. If the result is a
// single number, a nil v stands for the number one. VJP is [VJPN] for one tensor; see
// VJPN for options, panics and ownership.
func VJP(fn func(x *torch.Tensor) *torch.Tensor, x, v *torch.Tensor,
	opts ...ProductOption,
) (result, product *torch.Tensor) {
	const op = "autograd.VJP"
	results, products := vjp(op, one(op, fn), []*torch.Tensor{x}, vector(v), opts)
	return results[0], products[0]
}

// JVP returns fn's result and the Jacobian-vector product with v. If x is a single
// number, a nil v stands for the number one. JVP is [JVPN] for one tensor; see JVPN for
// options, panics and ownership.
func JVP(fn func(x *torch.Tensor) *torch.Tensor, x, v *torch.Tensor,
	opts ...ProductOption,
) (result, product *torch.Tensor) {
	const op = "autograd.JVP"
	results, products := jvp(op, one(op, fn), []*torch.Tensor{x}, vector(v), opts)
	return results[0], products[0]
}

// VHP returns fn's result, which must be a single number, and the product of v with fn's
// Hessian at x. If x is a single number, a nil v stands for the number one. VHP is [VHPN]
// for one tensor; see VHPN for options, panics and ownership.
func VHP(fn func(x *torch.Tensor) *torch.Tensor, x, v *torch.Tensor,
	opts ...ProductOption,
) (result, product *torch.Tensor) {
	const op = "autograd.VHP"
	result, products := vhp(op, one(op, fn), []*torch.Tensor{x}, vector(v), opts)
	return result, products[0]
}

// HVP returns fn's result, which must be a single number, and the product of fn's Hessian
// at x with v. It is [HVPN] for one tensor; see HVPN for options, panics and ownership.
func HVP(fn func(x *torch.Tensor) *torch.Tensor, x, v *torch.Tensor,
	opts ...ProductOption,
) (result, product *torch.Tensor) {
	const op = "autograd.HVP"
	result, products := hvp(op, one(op, fn), []*torch.Tensor{x}, vector(v), opts)
	return result, products[0]
}

// one converts a function of one tensor to a Func.
func one(op string, fn func(x *torch.Tensor) *torch.Tensor) Func {
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	return func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{fn(x[0])} }
}

// vector returns a list with v, or nil if v is nil.
func vector(v *torch.Tensor) []*torch.Tensor {
	if v == nil {
		return nil
	}
	return []*torch.Tensor{v}
}
