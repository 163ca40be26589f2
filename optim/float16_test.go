package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// 16-bit parameters decay by p * (1 - lr * weight_decay). The factor is not rounded to 16 bits
// first.
func TestDecayOf16Bits(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, dtype := range []torch.DType{torch.BFloat16, torch.Float16} {
		for name, fresh := range map[string]func(p []*torch.Tensor) optim.Optimizer{
			"Adafactor": func(p []*torch.Tensor) optim.Optimizer {
				return optim.NewAdafactor(p, optim.LR(0.1), optim.WeightDecay(0.1))
			},
			"ASGD": func(p []*torch.Tensor) optim.Optimizer {
				return optim.NewASGD(p, optim.LR(0.1), optim.Lambd(0.1))
			},
			"Muon": func(p []*torch.Tensor) optim.Optimizer {
				return optim.NewMuon(p, optim.LR(0.1), optim.WeightDecay(0.1))
			},
		} {
			torch.Scope(func() {
				p := torch.Linspace(-3, 3, 400, torch.Float32).Reshape(20, 20).To(dtype)
				want := p.MulScalar(1 - 0.1*0.1)
				p = p.RequiresGrad_()
				o := fresh([]*torch.Tensor{p})
				defer o.Close()
				p.SetGrad(torch.ZerosLike(p))
				o.Step()
				assert.True(t, want.Equal(p.Detach()), "%s %v", name, dtype)
			})
		}
	}
}
