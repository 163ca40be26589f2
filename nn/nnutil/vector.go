package nnutil

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// ParametersToVector concatenates the elements of all params into one vector, in
// order. Gradients flow back to params. It panics with ErrValue for an empty list.
// Follows torch.nn.utils.parameters_to_vector.
func ParametersToVector(params []*torch.Tensor) *torch.Tensor {
	const op = "ParametersToVector(params)"
	if len(params) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "params", "an empty list"))
	}
	return torch.Tidy(func() *torch.Tensor {
		flat := make([]*torch.Tensor, len(params))
		for i, p := range params {
			h := p.HandleFor(op, i)
			r := torch.BeginRaw(op, p)
			flat[i] = r.Tensor(aten.Reshape(r.Ctx, h, []int64{-1}))
		}
		hs := torch.Handles(op, flat, false)
		r := torch.BeginRaw(op, flat...)
		return r.Tensor(aten.Cat(r.Ctx, hs, 0))
	})
}

// VectorToParameters overwrites the elements of params with the elements of a vector that
// ParametersToVector returned. It panics with ErrShape if the numbers of elements differ.
// Follows torch.nn.utils.vector_to_parameters.
func VectorToParameters(vec *torch.Tensor, params []*torch.Tensor) {
	const op = "VectorToParameters(vec, params)"
	v := vec.HandleFor(op, 0)
	total := int64(0)
	for _, p := range params {
		p.HandleFor(op, 1)
		total += p.Numel()
	}
	if n := vec.Numel(); n != total {
		panic(torch.NewError(op, torch.ErrShape, "vec", fmt.Sprintf("has %d elements, but params have %d", n, total)))
	}
	torch.Scope(func() {
		at := int64(0)
		for _, p := range params {
			n, shape, h := p.Numel(), p.Shape(), p.HandleFor(op, 1)
			r := torch.BeginRaw(op, vec)
			part := r.Tensor(aten.Narrow(r.Ctx|abi.CtxNoGrad, v, 0, at, n))
			ph := part.HandleFor(op, 0)
			r = torch.BeginRaw(op, part)
			view := r.Tensor(aten.Reshape(r.Ctx|abi.CtxNoGrad, ph, shape))
			vh := view.HandleFor(op, 0)
			r = torch.BeginRaw(op, p, view)
			r.Status(aten.Copy_(r.Ctx|abi.CtxNoGrad, h, vh, false))
			at += n
		}
	})
}
