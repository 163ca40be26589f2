package amp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// A graph does not replay a step with a scaler whose settings have changed since the capture.
func TestGraphsSeeChangedScalers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, change := range map[string]func(s *amp.GradScaler){
		"the growth factor 5, the backoff factor 0.5 and the growth interval 1": func(s *amp.GradScaler) {
			s.SetGrowthFactor(5)
		},
		"the growth factor 2, the backoff factor 0.25": func(s *amp.GradScaler) { s.SetBackoffFactor(0.25) },
		"the growth interval 9, but had 2, 0.5 and 1":  func(s *amp.GradScaler) { s.SetGrowthInterval(9) },
		"the growth factor 3": func(s *amp.GradScaler) {
			sd := s.StateDict()
			sd["growth_factor"] = 3.0
			require.NoError(t, s.LoadStateDict(sd))
		},
		"was closed": func(s *amp.GradScaler) { _ = s.Close() },
	} {
		torch.Scope(func() {
			w := torch.FromSlice([]float32{1, 2}).RequiresGrad_()
			opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.1))
			defer opt.Close()
			scaler := amp.NewGradScaler(amp.Device(torch.CPU), amp.InitScale(2), amp.GrowthInterval(1))
			defer scaler.Close()
			g := torch.Capture(func() []*torch.Tensor {
				opt.ZeroGrad()
				scaler.Scale(w.Sum()).Backward()
				scaler.Step(opt)
				scaler.Update()
				return nil
			})
			defer g.Close()
			before := scaler.GetScale()
			g.Replay()
			require.Equal(t, 2*before, scaler.GetScale())
			change(scaler)
			err := torch.Try(func() { g.Replay() })
			require.ErrorIs(t, err, torch.ErrValue, name)
			assert.ErrorContains(t, err, name)
		})
	}
}
