// Package autograd computes Jacobians, Hessians and products with them:
// torch.autograd.functional of Python. Its functions take a function and the point, and
// return values.
//
//	j := autograd.JacobianN(fn, []*torch.Tensor{x})[0][0]
//	h := autograd.HessianN(loss, []*torch.Tensor{x})[0][0]
//	_, hv := autograd.HVPN(loss, []*torch.Tensor{x}, []*torch.Tensor{v})
//
// Functions are those of package torch/functorch: a [Func] takes tensors and returns a list,
// and functorch.Of and functorch.OfMany make one of a function with a single result.
// functorch also has the newer transforms, which compose.
//
// A function runs with gradients on and outside of any layer, so every operator, hook and
// [torch.Function] works in it. Tensors that it makes are freed when the work is done; its
// results live on. Results are recorded, so that they can be differentiated again, with
// [CreateGraph] alone.
package autograd
