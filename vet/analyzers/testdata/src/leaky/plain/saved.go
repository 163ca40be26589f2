package plain

import (
	"github.com/gotorch/gotorch/torch"
)

func saved(n int, x *torch.Tensor) {
	var inputs []*torch.Tensor
	double := torch.Function{
		Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
			inputs = append(inputs, in[0]) // leak: cyclic
			return []*torch.Tensor{in[0].Add(in[0])}
		},
		Backward: func(ctx *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{g[0].Mul(inputs[len(inputs)-1])}
		},
	}
	for range n {
		torch.Scope(func() { double.Apply(x)[0].Sum().Backward() })
	}
}
