package plain

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type activations struct{ byStep map[int]*activation }

type activation struct {
	out *torch.Tensor
	at  int
}

func (a *activations) run(n int, model nn.Layer, x *torch.Tensor) {
	for i := range n {
		torch.NoGrad(func() {
			out := model.Forward(x)
			a.byStep[i] = &activation{out: out, at: i} // leak: growing
		})
	}
}
