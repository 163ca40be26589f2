package amp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torchtest"
)

// counted is an optimizer that declares Step again.
type counted struct {
	*optim.AdamW
	steps int
}

func (c *counted) Step() {
	c.steps++
	c.AdamW.Step()
}

// A scaler calls the Step of a struct that embeds an optimizer and declares Step again, and the
// parameters are those of the optimizer itself. If a gradient is not finite, it does not call it.
func TestScalerCallsAStepDeclaredAgain(t *testing.T) {
	for name, fused := range map[string]bool{"fused": true, "not fused": false} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				train := func(wrap func(o *optim.AdamW) optim.Optimizer) []float32 {
					w := torch.FromSlice([]float32{1, 2}).RequiresGrad_()
					opt := optim.NewAdamW([]*torch.Tensor{w}, optim.LR(0.1), optim.Fused(fused))
					defer opt.Close()
					scaler := amp.NewGradScaler(amp.Device(torch.CPU), amp.InitScale(1024))
					defer scaler.Close()
					o := wrap(opt)
					for _, factor := range []float64{1, 1e38, 2} {
						o.ZeroGrad()
						scaler.Scale(w.Square().MulScalar(factor).Sum()).Backward()
						scaler.Step(o)
						scaler.Update()
					}
					return w.Float32s()
				}
				var c *counted
				want := train(func(o *optim.AdamW) optim.Optimizer { return o })
				got := train(func(o *optim.AdamW) optim.Optimizer {
					c = &counted{AdamW: o}
					return c
				})
				assert.Equal(t, want, got)
				assert.Equal(t, 2, c.steps)
			})
		})
	}
}

// While a step is captured, such a Step cannot depend on the gradients, so it is refused.
func TestGraphsRefuseAStepDeclaredAgain(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		w := torch.FromSlice([]float32{1, 2}).RequiresGrad_()
		c := &counted{AdamW: optim.NewAdamW([]*torch.Tensor{w})}
		defer c.Close()
		scaler := amp.NewGradScaler(amp.Device(torch.CPU))
		defer scaler.Close()
		step := func() []*torch.Tensor {
			c.ZeroGrad()
			scaler.Scale(w.Square().Sum()).Backward()
			scaler.Step(c)
			scaler.Update()
			return nil
		}
		assert.ErrorContains(t, torch.Try(func() { torch.Capture(step) }),
			"reads a number from a tensor while a step is being captured")
	})
}
