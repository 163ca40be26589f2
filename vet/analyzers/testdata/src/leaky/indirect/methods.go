package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

type power struct{ inputs []*torch.Tensor }

func (p *power) forward(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
	p.inputs = append(p.inputs, in[0]) // leak: cyclic
	return []*torch.Tensor{in[0].Mul(in[0])}
}

func (p *power) backward(ctx *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
	return []*torch.Tensor{g[0].Mul(p.inputs[0])}
}

func methods(n int, w *torch.Tensor) {
	var p power
	op := torch.Function{Forward: p.forward, Backward: p.backward}
	for range n {
		torch.Scope(func() { op.Apply(w)[0].Sum().Backward() })
	}
}
