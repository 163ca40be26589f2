// Package autograd computes Jacobians, Hessians and products with them, like
// torch.autograd.functional of Python. Its functions take a function and a point, and
// return values.
//
//	j := autograd.JacobianN(fn, []*torch.Tensor{x})[0][0]
//	h := autograd.HessianN(loss, []*torch.Tensor{x})[0][0]
//	_, hv := autograd.HVPN(loss, []*torch.Tensor{x}, []*torch.Tensor{v})
//
// Functions have the type that package torch/functorch uses: a [Func] takes tensors and
// returns a list; functorch.Of and functorch.OfMany make one from a function with a
// single result. Package functorch also has the newer, composable transforms.
//
// A function runs with gradients enabled and outside of any functorch layer, so it may
// use every operator, hook and [torch.Function]. Tensors that it makes are freed at the
// end, except the results. The results can be differentiated again only with
// [CreateGraph].
package autograd
