// Package functorch has composable function transforms. A transform takes a function of
// tensors and returns another function, which computes gradients ([Grad], [VJP]),
// directional derivatives ([JVP]), Jacobians and Hessians ([Jacrev], [Jacfwd],
// [Hessian]), or maps the function over a batch of examples ([VMap]). Transforms compose:
// VMap of Grad gives per-example gradients, and Grad of Grad gives the second derivative.
// The package is torch.func in Python; func is a keyword in Go, and functorch is its
// former name, which libtorch still uses.
//
//	loss := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { ... })
//	each := functorch.VMap(functorch.Grad(loss), functorch.InDims{functorch.NotMapped, 0, 0})
//	grads := each.One(w, inputs, targets) // for each example, the gradient with respect to w
//
// A function to transform is a [Func]: it takes tensors and returns a list of tensors.
// [Of] and [OfMany] make one from a function with a single result, and [Func.One] calls
// one and returns its single result. Lists replace Python's trees of tensors;
// [MakeFunctional] turns a module's parameters into a list.
//
// Package torch/autograd has older functions with the same purpose, which return values
// instead of functions. They need no layers and support all operators.
//
// # Layers
//
// A transform pushes a layer in libtorch, runs the function on tensors of this layer,
// pops the layer and returns the results as tensors without it. libtorch implements the
// layers, so every operator that Python's transforms support works here, with the same
// results.
//
// The layers belong to a thread, so the goroutine is locked to its thread while the
// function runs. Any number of goroutines can do this at once. Tensors that the function
// makes are freed when it returns, as in a [torch.Scope]. A panic pops the layer too.
// Tensors of the layer are only valid within the function. A goroutine that the function
// starts is not in the layer: there, tensors of VMap are an error, and tensors of Grad
// and similar transforms are constants, through which no derivative flows.
//
// libtorch has only one level of forward-mode derivatives per process. [JVP] and [Jacfwd]
// share it among goroutines; a tensor's layer identifies its derivative.
//
// A Go [torch.Function], a checkpoint of torch/recompute, and the functions of
// torch/autograd cannot run within a transform (ErrNotImplemented), as in Python. Tensors
// of VMap cannot be made to require gradients.
package functorch
