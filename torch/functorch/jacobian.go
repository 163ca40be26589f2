package functorch

import (
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// Jacrev returns the function that computes the Jacobians of fn in reverse mode. It makes
// one backward pass for each element of the results, all at once with [VMap], or
// [ChunkSize] at a time. Use it if the results have fewer elements than the inputs.
//
// If fn has m results and is differentiated with respect to the n arguments in [ArgNum]
// or [ArgNums], there are m*n Jacobians. The Jacobian of result i with respect to
// argument j is element i*n+j. Its shape is the shape of the result followed by the shape
// of the argument.
//
// Jacrev panics with ErrNil for a nil fn or option and with ErrValue for a negative
// ChunkSize. The function that it returns panics as [Grad]'s does, but accepts results of
// any shape. It also panics for operators that VMap does not support. The caller owns the
// Jacobians. Follows torch.func.jacrev.
func Jacrev(fn Func, opts ...JacrevOption) Func {
	const op = "functorch.Jacrev"
	d := readDerivative(op, opts)
	checkFunc(op, fn)
	return func(x ...*torch.Tensor) []*torch.Tensor {
		arguments(op, x)
		at := position(op, d.args, len(x))
		wrt := chosen(op, x, d.args)
		return torch.TidyAll(func() []*torch.Tensor {
			outs, vjp := pullback(op, fn, x, at)
			defer func() { _ = vjp.Close() }()
			rows := basis(outs)
			if rows == nil {
				return zeroJacobians(outs, wrt)
			}
			grads := VMap(vjp.Apply, ChunkSize(d.chunk))(rows...)
			var jacobians []*torch.Tensor
			first := int64(0)
			for _, o := range outs {
				for j, w := range wrt {
					part := grads[j].Narrow(0, first, o.Numel())
					jacobians = append(jacobians, part.Reshape(slices.Concat(o.Shape(), w.Shape())...))
				}
				first += o.Numel()
			}
			return jacobians
		})
	}
}

// Jacfwd returns the function that computes the Jacobians of fn in forward mode. It makes
// one pass for each element of the arguments, all at once with [VMap]. It needs no
// autograd graph. Use it if the inputs have fewer elements than the results. It returns
// the same results as [Jacrev], in the same order. Jacfwd panics as Jacrev does, and with
// ErrValue for an unknown [Randomness]. The function that it returns panics as [JVP]
// does, and for operators that VMap does not support. Follows torch.func.jacfwd.
func Jacfwd(fn Func, opts ...JacfwdOption) Func {
	const op = "functorch.Jacfwd"
	d := readDerivative(op, opts)
	checkFunc(op, fn)
	return func(x ...*torch.Tensor) []*torch.Tensor {
		arguments(op, x)
		at := position(op, d.args, len(x))
		wrt := chosen(op, x, d.args)
		part := Func(func(moved ...*torch.Tensor) []*torch.Tensor { return fn.call(op, with(x, at, moved)) })
		return torch.TidyAll(func() []*torch.Tensor {
			columns := basis(wrt)
			if columns == nil {
				return zeroJacobians(fn.call(op, x), wrt)
			}
			derivatives := VMap(func(v ...*torch.Tensor) []*torch.Tensor {
				_, ds := push(op, part, wrt, v, false)
				return ds
			}, d.randomness)(columns...)
			var jacobians []*torch.Tensor
			for _, dy := range derivatives {
				shape := dy.Shape()[1:]
				first := int64(0)
				for _, w := range wrt {
					part := dy.Narrow(0, first, w.Numel()).MoveDim(0, -1)
					jacobians = append(jacobians, part.Reshape(slices.Concat(shape, w.Shape())...))
					first += w.Numel()
				}
			}
			return jacobians
		})
	}
}

// Hessian returns the function that computes the Hessians of fn, whose result must be a
// scalar. They are the forward-mode Jacobians of its reverse-mode gradients. With n
// arguments there are n*n Hessians: the derivative with respect to argument j and then k
// is element j*n+k. Its shape is the shape of argument j followed by the shape of
// argument k. Hessian panics as [Jacrev] and [Jacfwd] do. Follows torch.func.hessian.
func Hessian(fn Func, opts ...HessianOption) Func {
	const op = "functorch.Hessian"
	d := readDerivative(op, opts)
	checkFunc(op, fn)
	return Jacfwd(Jacrev(fn, ArgNums(d.args)), ArgNums(d.args))
}

// basis returns the unit vectors of the space of ts, stacked along a new first dimension
// and split by tensor. If the tensors have no elements, it returns nil.
func basis(ts []*torch.Tensor) []*torch.Tensor {
	n := int64(0)
	for _, t := range ts {
		n += t.Numel()
	}
	if n == 0 {
		return nil
	}
	parts := make([]*torch.Tensor, len(ts))
	first := int64(0)
	for i, t := range ts {
		unit := torch.Eye(n, t.DType(), t.Device()).Narrow(1, first, t.Numel())
		parts[i] = unit.Reshape(slices.Concat(torch.Shape{n}, t.Shape())...)
		first += t.Numel()
	}
	return parts
}

func zeroJacobians(outs, wrt []*torch.Tensor) []*torch.Tensor {
	var zeros []*torch.Tensor
	for _, o := range outs {
		for _, w := range wrt {
			zeros = append(zeros, torch.Zeros(slices.Concat(o.Shape(), w.Shape()), w.DType(), w.Device()))
		}
	}
	return zeros
}
