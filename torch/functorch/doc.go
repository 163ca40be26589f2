// Package functorch has transforms of functions: they take a function of tensors and return
// another one, which computes gradients ([Grad], [VJP]), derivatives in a direction ([JVP]),
// Jacobians and Hessians ([Jacrev], [Jacfwd], [Hessian]), or the function for a whole batch of
// examples ([VMap]). Transforms of transforms work: VMap of Grad has the gradients of each
// example, Grad of Grad the second derivative. It is torch.func of Python, whose name is a
// word of the language Go; functorch is the name that it had before, and that libtorch still
// uses.
//
//	loss := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { ... })
//	each := functorch.VMap(functorch.Grad(loss), functorch.InDims{functorch.NotMapped, 0, 0})
//	grads := each.One(w, inputs, targets) // the gradient by w of each example
//
// A function that is to be transformed has one shape, [Func]: tensors in, a list of tensors
// out. [Of] and [OfMany] make one of a function with a single result, and [Func.One] calls one
// and returns its single result. Where Python has trees of tensors there are lists; a module's
// parameters become one by [MakeFunctional].
//
// Package torch/autograd has the older functions with values instead of
// transforms; they need no layers and take any operator.
//
// # How it works, and what it asks of a function
//
// A transform puts a layer into libtorch, runs the function on tensors of this layer, takes
// the layer off and returns what the results are below it. The layers are those of libtorch
// itself, so every operator that Python's transforms know works here, with the same numbers.
//
// The layers belong to the thread, so the goroutine stays on its thread while the function
// runs. Any number of goroutines can do this at once. Tensors that the function makes are
// freed at its end, as in a [torch.Scope]; a panic takes the layer off too. Tensors of the
// layer are of use within the function alone. A goroutine that the function starts is not in
// the layer: tensors of VMap are an error there, and those of Grad and its like are
// constants, through which no derivative flows.
//
// libtorch has one level of forward-mode derivatives for the whole process. [JVP] and
// [Jacfwd] share it among goroutines: whose derivative a tensor carries is said by its layer.
//
// A [torch.Function] written in Go, a checkpoint of torch/recompute, and the functions
// of torch/autograd cannot run within a transform (ErrNotImplemented), as in
// Python, and a tensor of VMap cannot be made to require gradients.
package functorch
