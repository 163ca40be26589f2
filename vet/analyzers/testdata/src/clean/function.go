package clean

import (
	"github.com/gotorch/gotorch/torch"
)

var cube = torch.Function{
	Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
		ctx.Save(in[0])
		ctx.Value = 3.0
		out := in[0].Mul(in[0])
		out = out.Mul(in[0])
		return []*torch.Tensor{out}
	},
	Backward: func(ctx *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
		x := ctx.Saved()[0]
		return []*torch.Tensor{g[0].Mul(x)}
	},
}
