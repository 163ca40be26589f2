package nnutil

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// TotalNorm returns the norm of all elements of all tensors, a new scalar tensor on the device of
// the first one. It is 0 for an empty list. It panics with ErrNil or ErrClosed for a nil or closed
// tensor. With [ErrorIfNonfinite] it panics with ErrValue for a norm that is not finite. Follows
// torch.nn.utils.get_total_norm.
func TotalNorm(tensors []*torch.Tensor, opts ...GradNormOption) *torch.Tensor {
	const op = "TotalNorm(tensors)"
	a := readGradNorm(op, opts)
	torch.Handles(op, tensors, false)
	if len(tensors) == 0 {
		return torch.Zeros(torch.Shape{}, torch.CPU, torch.Float32)
	}
	return torch.Tidy(func() *torch.Tensor {
		var norms []*torch.Tensor
		if a.foreach {
			norms = aten.UnderForeachNormScalar(tensors, a.normType, 0)
		} else {
			for _, t := range tensors {
				norms = append(norms, aten.LinalgVectorNorm(t, a.normType, nil, false, 0))
			}
		}
		for i, n := range norms {
			norms[i] = n.To(tensors[0].Device())
		}
		total := aten.LinalgVectorNorm(torch.Stack(norms), a.normType, nil, false, 0)
		if a.errorIfNonfinite {
			if v := total.Item(); math.IsNaN(v) || math.IsInf(v, 0) {
				panic(torch.NewError(op, torch.ErrValue, "tensors",
					fmt.Sprintf("the total norm of order %v is not finite", a.normType)))
			}
		}
		return total
	})
}

// ClipGradsWithNorm_ scales the gradients of params in place so that their norm is at most maxNorm.
// totalNorm is their current norm, as [TotalNorm] returns it. Parameters without a gradient are
// skipped. It panics with ErrNil or ErrClosed for a nil or closed tensor, and with ErrValue for a
// negative maxNorm. Follows torch.nn.utils.clip_grads_with_norm_.
func ClipGradsWithNorm_(params []*torch.Tensor, maxNorm float64, totalNorm *torch.Tensor, opts ...ClipValueOption) {
	const op = "ClipGradsWithNorm_(params)"
	foreach := readClipValue(op, opts)
	mustNotBeNegative(op, maxNorm)
	torch.Handles(op, params, false)
	totalNorm.HandleFor("ClipGradsWithNorm_(totalNorm)", 0)
	torch.NoGrad(func() {
		torch.Scope(func() {
			factor := totalNorm.AddScalar(1e-6).Reciprocal().MulScalar(maxNorm).Clamp(nil, 1.0)
			on := map[torch.Device][]*torch.Tensor{}
			for _, p := range params {
				if g := p.Grad(); g != nil {
					on[g.Device()] = append(on[g.Device()], g)
				}
			}
			for device, grads := range on {
				there := factor.To(device)
				if foreach {
					aten.UnderForeachMul_Tensor(grads, there)
					continue
				}
				for _, g := range grads {
					g.Mul_(there)
				}
			}
		})
	})
}
