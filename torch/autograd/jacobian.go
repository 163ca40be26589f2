package autograd

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/functorch"
)

// JacobianN returns the derivatives of each result of fn with respect to each input.
// Element [i][j] is the derivative of result i with respect to input j. Its shape is the
// shape of the result followed by the shape of the input. JacobianN runs one backward
// pass for each element of the results; with [Vectorize] it runs all passes together.
//
// It panics with ErrNil for a nil fn or option; with ErrValue for an empty list and for
// conflicting options; with ErrDType for integers; with ErrNil or ErrClosed for a nil or
// closed tensor; with ErrAutograd if [Strict] refuses a result and within InferenceMode;
// with ErrNotImplemented within a transform of functorch; and if fn panics. The results
// are new tensors, owned by the innermost scope or else by the garbage collector. Follows
// torch.autograd.functional.jacobian.
func JacobianN(fn Func, inputs []*torch.Tensor, opts ...JacobianOption) [][]*torch.Tensor {
	return jacobianOf("autograd.JacobianN", fn, inputs, opts)
}

func jacobianOf(op string, fn Func, inputs []*torch.Tensor, opts []JacobianOption) [][]*torch.Tensor {
	w := work{read(op, opts), op}
	w.begin(fn, inputs)
	return rows(w.jacobian(fn, inputs), len(inputs))
}

// HessianN returns the second derivatives of fn, whose result must be a single number.
// Element [i][j] is the derivative with respect to input i and then input j. Its shape is
// the shape of input i followed by the shape of input j. HessianN panics as [JacobianN]
// does, and with ErrValue or ErrShape if fn's result is not a single number. The results
// are new tensors, owned by the innermost scope or else by the garbage collector. Follows
// torch.autograd.functional.hessian.
func HessianN(fn Func, inputs []*torch.Tensor, opts ...HessianOption) [][]*torch.Tensor {
	return hessianOf("autograd.HessianN", fn, inputs, opts)
}

func hessianOf(op string, fn Func, inputs []*torch.Tensor, opts []HessianOption) [][]*torch.Tensor {
	w := work{read(op, opts), op}
	w.begin(fn, inputs)
	if w.forward {
		gradient := functorch.Grad(func(x ...*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{w.scalar(fn, x).Reshape()}
		}, all(len(inputs)))
		return rows(w.jacobian(gradient, inputs), len(inputs))
	}
	inner := work{settings{create: true, strict: w.strict}, op}
	gradient := func(x ...*torch.Tensor) []*torch.Tensor {
		y := inner.scalar(fn, x).Reshape()
		return inner.filled(grads([]*torch.Tensor{y}, x, nil, true), x, perInput("the result"))
	}
	return rows(w.jacobian(gradient, inputs), len(inputs))
}

// jacobian returns the Jacobians in the order of the results: the Jacobians of the first
// result come first.
func (w work) jacobian(fn Func, inputs []*torch.Tensor) []*torch.Tensor {
	if w.forward {
		return do(func() []*torch.Tensor {
			return w.finish(functorch.Jacfwd(func(x ...*torch.Tensor) []*torch.Tensor { return w.run(fn, x) },
				all(len(inputs)))(inputs...))
		})
	}
	return do(func() []*torch.Tensor {
		x := w.leaves(inputs, w.create)
		var out []*torch.Tensor
		for i, y := range w.run(fn, x) {
			by := w.byRow
			if w.vectorize {
				by = w.atOnce
			}
			for j, t := range by(fmt.Sprintf("result %d", i), y, x) {
				out = append(out, t.Reshape(slices.Concat(y.Shape(), x[j].Shape())...))
			}
		}
		return w.finish(out)
	})
}

// byRow returns the Jacobian of y with respect to each tensor in x. The first dimension
// of each Jacobian is the element of y.
func (w work) byRow(what string, y *torch.Tensor, x []*torch.Tensor) []*torch.Tensor {
	of := make([][]*torch.Tensor, len(x))
	flat := y.Reshape(-1)
	for k := range y.Numel() {
		got := w.filled(grads([]*torch.Tensor{flat.Index(k)}, x, nil, w.create), x, perInput(what))
		for j, g := range got {
			of[j] = append(of[j], g)
		}
	}
	out := make([]*torch.Tensor, len(x))
	for j := range x {
		if len(of[j]) == 0 {
			out[j] = torch.Zeros(slices.Concat(torch.Shape{0}, x[j].Shape()), x[j].DType(), x[j].Device())
		} else {
			out[j] = torch.Stack(of[j])
		}
	}
	return out
}

// atOnce is like byRow, but computes all rows at once with VMap instead of in a loop.
func (w work) atOnce(what string, y *torch.Tensor, x []*torch.Tensor) []*torch.Tensor {
	n := y.Numel()
	if n == 0 {
		return w.byRow(what, y, x)
	}
	unit := torch.Eye(n, y.DType(), y.Device()).Reshape(slices.Concat(torch.Shape{n}, y.Shape())...)
	return functorch.VMap(func(v ...*torch.Tensor) []*torch.Tensor {
		return w.filled(grads([]*torch.Tensor{y}, x, v, w.create), x, perInput(what))
	})(unit)
}

// all returns the argument numbers 0 to n-1, so that all arguments are differentiated.
func all(n int) functorch.ArgNums {
	args := make(functorch.ArgNums, n)
	for i := range args {
		args[i] = i
	}
	return args
}

func rows(ts []*torch.Tensor, n int) [][]*torch.Tensor {
	return slices.Collect(slices.Chunk(ts, n))
}
