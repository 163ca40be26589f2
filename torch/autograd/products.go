package autograd

import "github.com/gotorch/gotorch/torch"

// VJPN returns fn's results and the vector-Jacobian product with v: the gradients with
// respect to the inputs, where v are the gradients with respect to the results. If the
// result is a single number, a nil v stands for the number one. VJPN panics with ErrNil
// for a nil fn or option; with ErrValue for an empty list or a wrong number of tensors in
// v; with ErrShape if the shapes in v are not those of the results; with ErrDType for
// integers; with ErrNil or ErrClosed for a nil or closed tensor; with ErrAutograd if
// [Strict] refuses a result and within InferenceMode; with ErrNotImplemented within a
// transform of functorch; and if fn panics. The results are new tensors, owned by the
// innermost scope or else by the garbage collector. Follows
// torch.autograd.functional.vjp.
func VJPN(fn Func, inputs, v []*torch.Tensor, opts ...ProductOption) (results, product []*torch.Tensor) {
	return vjp("autograd.VJPN", fn, inputs, v, opts)
}

func vjp(op string, fn Func, inputs, v []*torch.Tensor, opts []ProductOption) (results, product []*torch.Tensor) {
	w := work{read(op, opts), op}
	w.begin(fn, inputs)
	return split(len(inputs), func() []*torch.Tensor {
		x := w.leaves(inputs, w.create)
		y := w.run(fn, x)
		got := w.filled(grads(y, x, w.vector(v, y), w.create), x, perInput("the result"))
		return append(w.finish(y), w.finish(got)...)
	})
}

// JVPN returns fn's results and the Jacobian-vector product with v: the derivative of
// each result in the direction of v. If the input is a single number, a nil v stands for
// the number one. JVPN runs two backward passes, which any operator with a gradient
// supports. functorch.JVP runs one forward pass, but needs operators with forward
// derivatives. JVPN panics as [VJPN] does, with v compared to the inputs. The results are
// new tensors, owned by the innermost scope or else by the garbage collector. Follows
// torch.autograd.functional.jvp.
func JVPN(fn Func, inputs, v []*torch.Tensor, opts ...ProductOption) (results, product []*torch.Tensor) {
	return jvp("autograd.JVPN", fn, inputs, v, opts)
}

func jvp(op string, fn Func, inputs, v []*torch.Tensor, opts []ProductOption) (results, product []*torch.Tensor) {
	w := work{read(op, opts), op}
	w.begin(fn, inputs)
	both := do(func() []*torch.Tensor {
		v := w.vector(v, inputs)
		x := w.leaves(inputs, w.create)
		y := w.run(fn, x)
		// The gradient is linear in u, so its derivative by u, in the direction of v, is
		// the product.
		u := make([]*torch.Tensor, len(y))
		for i, t := range y {
			u[i] = torch.ZerosLike(t).RequiresGrad_()
		}
		g := w.filledInside(grads(y, x, u, true), x)
		got := w.filled(grads(g, u, v, w.create), y, perResult)
		return append(w.finish(y), w.finish(got)...)
	})
	n := len(both) / 2
	return both[:n:n], both[n:]
}

// VHPN returns fn's result, which must be a single number, and the product of v with fn's
// Hessian at the inputs. If the input is a single number, a nil v stands for the number
// one. VHPN panics as [VJPN] does, with v compared to the inputs, and with ErrValue or
// ErrShape if fn's result is not a single number. The results are new tensors, owned by
// the innermost scope or else by the garbage collector. Follows
// torch.autograd.functional.vhp.
func VHPN(fn Func, inputs, v []*torch.Tensor, opts ...ProductOption) (result *torch.Tensor, product []*torch.Tensor) {
	return vhp("autograd.VHPN", fn, inputs, v, opts)
}

func vhp(op string, fn Func, inputs, v []*torch.Tensor,
	opts []ProductOption,
) (result *torch.Tensor, product []*torch.Tensor) {
	w := work{read(op, opts), op}
	w.begin(fn, inputs)
	results, product := split(len(inputs), func() []*torch.Tensor {
		v := w.vector(v, inputs)
		x := w.leaves(inputs, w.create)
		y := w.scalar(fn, x)
		g := w.gradient(y, x)
		got := w.filled(grads(g, x, v, w.create), x, perInput("the gradient"))
		return append(w.finish([]*torch.Tensor{y}), w.finish(got)...)
	})
	return results[0], product
}

// HVPN returns fn's result, which must be a single number, and the product of fn's
// Hessian at the inputs with v. Where the second derivatives are continuous, the Hessian
// is symmetric, and [VHPN] returns the same with two backward passes instead of three.
// HVPN panics as VHPN does. The results are new tensors, owned by the innermost scope or
// else by the garbage collector. Follows torch.autograd.functional.hvp.
func HVPN(fn Func, inputs, v []*torch.Tensor, opts ...ProductOption) (result *torch.Tensor, product []*torch.Tensor) {
	return hvp("autograd.HVPN", fn, inputs, v, opts)
}

func hvp(op string, fn Func, inputs, v []*torch.Tensor,
	opts []ProductOption,
) (result *torch.Tensor, product []*torch.Tensor) {
	w := work{read(op, opts), op}
	w.begin(fn, inputs)
	results, product := split(len(inputs), func() []*torch.Tensor {
		v := w.vector(v, inputs)
		x := w.leaves(inputs, w.create)
		y := w.scalar(fn, x)
		g := w.gradient(y, x)
		u := make([]*torch.Tensor, len(x))
		for i, t := range x {
			u[i] = torch.ZerosLike(t).RequiresGrad_()
		}
		h := w.filledInside(grads(g, x, u, true), x)
		got := w.filled(grads(h, u, v, w.create), x, perInput("the gradient"))
		return append(w.finish([]*torch.Tensor{y}), w.finish(got)...)
	})
	return results[0], product
}

// gradient returns the gradient of y, with a graph.
func (w work) gradient(y *torch.Tensor, x []*torch.Tensor) []*torch.Tensor {
	g := w.filledInside(grads([]*torch.Tensor{y.Reshape()}, x, nil, true), x)
	w.depend("gradient", g)
	return g
}

// filledInside calls filled for gradients that will be differentiated again.
func (w work) filledInside(got, like []*torch.Tensor) []*torch.Tensor {
	return work{settings{strict: w.strict, create: true}, w.op}.filled(got, like, perInput("the result"))
}

// split runs fn and splits its results: the last n are the product.
func split(n int, fn func() []*torch.Tensor) (results, product []*torch.Tensor) {
	both := do(fn)
	at := len(both) - n
	return both[:at:at], both[at:]
}
