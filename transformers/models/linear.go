package models

import (
	"github.com/gotorch/gotorch/cgotorch/blocks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// Linear is an nn.Linear that reads its weights faster if it is called with one or two tokens
// in float32 and without gradients, as in generation. The last bits of such results may
// differ.
type Linear struct{ *nn.Linear }

// NewLinear returns a Linear whose weights are normal with a standard deviation of std, and
// whose biases are zero.
func NewLinear(in, out int64, bias bool, std float64) *Linear {
	l := &Linear{nn.NewLinear(in, out, nn.Bias(bias))}
	l.Init(l, nn.TypeName("Linear"))
	if l.Weight.Device() != torch.Meta {
		nninit.Normal_(l.Weight, 0, std)
		if bias {
			nninit.Zeros_(l.Bias)
		}
	}
	return l
}

// Forward takes x of shape (*, in) and returns a new tensor of shape (*, out).
func (l *Linear) Forward(x *torch.Tensor) *torch.Tensor {
	if torch.IsGradEnabled() || x.DType() != torch.Float32 || x.Numel() > 2*x.Size(-1) {
		return l.Linear.Forward(x)
	}
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		const op = "Linear(input, weight, bias)"
		h, w, b := x.HandleFor(op, 0), l.Weight.HandleFor(op, 1), l.Bias.OptionalHandleFor(op, 2)
		r := torch.BeginRaw(op, x, l.Weight, l.Bias)
		return r.Tensor(blocks.LinearFloat(r.Ctx, h, w, b))
	})
}
