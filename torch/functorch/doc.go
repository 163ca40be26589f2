// Package functorch has composable function transforms. They take a function of tensors and
// return another one. It computes gradients ([Grad], [VJP]), directional derivatives
// ([JVP]), Jacobians and Hessians ([Jacrev], [Jacfwd], [Hessian]), or the function for a
// batch of examples ([VMap]). Transforms compose: VMap of Grad gives per-example gradients,
// Grad of Grad the second derivative. It is torch.func of Python; func is a keyword in Go,
// and functorch is its former name, which libtorch still uses.
//
//	loss := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { ... })
//	each := functorch.VMap(functorch.Grad(loss), functorch.InDims{functorch.NotMapped, 0, 0})
//	grads := each.One(w, inputs, targets) // the gradient by w of each example
//
// A function to transform is a [Func]: tensors in, a list of tensors out. [Of] and
// [OfMany] make one from a function with a single result, and [Func.One] calls one and
// returns its single result. Lists replace Python's trees of tensors; [MakeFunctional]
// turns a module's parameters into a list.
//
// Package torch/autograd has the older functions, which return values instead of
// functions; they need no layers and support all operators.
//
// # Layers
//
// A transform pushes a layer in libtorch, runs the function on tensors of this layer,
// pops the layer and returns the results below it. The layers are libtorch's own, so
// every operator that Python's transforms support works here, with the same numbers.
//
// The layers belong to the thread, so the goroutine stays on its thread while the
// function runs. Any number of goroutines can do this at once. Tensors that the function
// makes are freed at its end, as in a [torch.Scope]; a panic pops the layer too. Tensors
// of the layer are only valid within the function. A goroutine that the function starts
// is not in the layer: tensors of VMap are an error there, and those of Grad and similar
// transforms are constants, through which no derivative flows.
//
// libtorch has a single level of forward-mode derivatives for the process, which [JVP]
// and [Jacfwd] share among goroutines; a tensor's layer identifies its derivative.
//
// A Go [torch.Function], a checkpoint of torch/recompute, and the functions of
// torch/autograd cannot run within a transform (ErrNotImplemented), as in Python, and
// tensors of VMap cannot be made to require gradients.
package functorch
