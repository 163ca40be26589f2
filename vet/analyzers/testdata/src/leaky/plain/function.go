package plain

import (
	"github.com/gotorch/gotorch/torch"
)

var square = torch.Function{
	Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
		out := in[0].Mul(in[0])
		ctx.Value = out // leak: cyclic
		return []*torch.Tensor{out}
	},
	Backward: func(ctx *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{g[0].Mul(ctx.Value.(*torch.Tensor))}
	},
}
