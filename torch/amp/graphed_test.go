package amp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
)

// scaledStep is an optimizer that steps with a scaler.
type scaledStep struct {
	*optim.AdamW
	scaler *amp.GradScaler
}

func (s scaledStep) Step() {
	s.scaler.Step(s.AdamW)
	s.scaler.Update()
}

// A graphed step refuses a scaled loss if its optimizer would step with scaled gradients.
// If the optimizer uses the scaler, the graphed step computes the same as the loop.
func TestGraphedStepsOfScaledLosses(t *testing.T) {
	torch.Scope(func() {
		type training struct {
			w      *torch.Tensor
			opt    *optim.AdamW
			scaler *amp.GradScaler
		}
		made := func(opts ...amp.ScalerOption) training {
			torch.ManualSeed(3)
			w := torch.Randn(torch.Shape{4, 2}).RequiresGrad_()
			return training{
				w, optim.NewAdamW([]*torch.Tensor{w}, optim.LR(0.1), optim.Fused(true)),
				amp.NewGradScaler(append(opts, amp.Device(torch.CPU), amp.InitScale(1024), amp.GrowthInterval(3))...),
			}
		}
		loss := func(r training, x *torch.Tensor) *torch.Tensor { return r.scaler.Scale(x.MatMul(r.w).Square().Mean()) }
		bad := made()
		defer bad.opt.Close()
		before := bad.w.Float32s()
		step := optim.GraphedStep(func(b []*torch.Tensor) *torch.Tensor { return loss(bad, b[0]) }, bad.opt,
			optim.BeforeStep(func() { bad.scaler.Unscale_(bad.opt) }))
		defer step.Close()
		for range 2 {
			err := torch.Try(func() { step.Call(torch.Ones(torch.Shape{3, 4})) })
			require.ErrorIs(t, err, torch.ErrRuntime)
			assert.ErrorContains(t, err, "the loss is scaled")
			assert.Equal(t, before, bad.w.Float32s())
		}
		// A type that embeds the optimizer and inherits its Step does not divide the gradients either.
		inherited := optim.GraphedStep(func(b []*torch.Tensor) *torch.Tensor { return loss(bad, b[0]) },
			struct{ *optim.AdamW }{bad.opt})
		defer inherited.Close()
		require.ErrorIs(t, torch.Try(func() { inherited.Call(torch.Ones(torch.Shape{3, 4})) }), torch.ErrRuntime)
		assert.Equal(t, before, bad.w.Float32s())
		off := made(amp.Enabled(false))
		defer off.opt.Close()
		plain := optim.GraphedStep(func(b []*torch.Tensor) *torch.Tensor { return loss(off, b[0]) }, off.opt)
		defer plain.Close()
		plain.Call(torch.Ones(torch.Shape{3, 4})) // a disabled scaler does not scale

		eager, graphed := made(), made()
		defer eager.opt.Close()
		defer graphed.opt.Close()
		step = optim.GraphedStep(func(b []*torch.Tensor) *torch.Tensor { return loss(graphed, b[0]) },
			scaledStep{graphed.opt, graphed.scaler})
		defer step.Close()
		for i := range 16 {
			x := torch.Randn(torch.Shape{3, 4})
			if i%7 == 5 {
				x.Index(0).Fill_(float64(1e30)) // the gradients are infinite
			}
			eager.opt.ZeroGrad()
			want := loss(eager, x)
			want.Backward()
			eager.scaler.Step(eager.opt)
			eager.scaler.Update()
			got := step.Call(x)
			require.Equal(t, want.Item(), got.Item(), "step %d", i)
			require.True(t, eager.w.Equal(graphed.w), "step %d", i)
			require.Equal(t, eager.scaler.GetScale(), graphed.scaler.GetScale(), "step %d", i)
		}
		assert.Empty(t, step.Refused())
	})
}
