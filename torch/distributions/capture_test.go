package distributions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torchtest"
)

// PPO and SAC updates can be captured even though arguments are validated, as they are by
// default. Replays give the same results as uncaptured steps.
func TestDistributionsInGraphs(t *testing.T) {
	// The slice in has the observations, actions, old log_probs and advantages.
	ppo := func(net *nn.Linear, in []*torch.Tensor) *torch.Tensor {
		d := distributions.NewCategorical(distributions.Logits(net.Forward(in[0])))
		ratio := d.LogProb(in[1]).Sub(in[2]).Exp()
		clipped := ratio.Clamp(torch.Min(0.8), torch.Max(1.2))
		return ratio.Mul(in[3]).Minimum(clipped.Mul(in[3])).Mean().Neg().Sub(d.Entropy().Mean().MulScalar(0.01))
	}
	sac := func(net *nn.Linear, in []*torch.Tensor) *torch.Tensor {
		parts := net.Forward(in[0]).Chunk(2, 1)
		d := distributions.NewNormal(parts[0], parts[1].Exp())
		z := d.RSample()
		action := z.Tanh()
		logProb := d.LogProb(z).Sub(action.Square().Neg().AddScalar(1 + 1e-6).Log()).Sum(torch.Dim(1))
		return logProb.MulScalar(0.2).Sub(action.Sum(torch.Dim(1))).Mean()
	}
	ppoBatch := func() []*torch.Tensor {
		return []*torch.Tensor{
			torch.Randn(torch.Shape{8, 4}), torch.RandInt(0, 4, torch.Shape{8}),
			torch.Randn(torch.Shape{8}), torch.Randn(torch.Shape{8}),
		}
	}
	for name, c := range map[string]struct {
		loss  func(net *nn.Linear, in []*torch.Tensor) *torch.Tensor
		batch func() []*torch.Tensor
	}{
		"PPO": {ppo, ppoBatch},
		"SAC": {sac, func() []*torch.Tensor { return ppoBatch()[:1] }},
	} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			train := func(graphed bool) (losses []float64, refused []string) {
				torch.ManualSeed(5)
				net := nn.NewLinear(4, 4)
				defer net.Close()
				opt := optim.NewAdam(net.Parameters(), optim.LR(0.01))
				defer opt.Close()
				step := func(in []*torch.Tensor) []*torch.Tensor {
					opt.ZeroGrad()
					l := c.loss(net, in)
					l.Backward()
					opt.Step()
					return []*torch.Tensor{l}
				}
				graphs := torch.CaptureByShape(step)
				defer graphs.Close()
				for range 12 {
					torch.Scope(func() {
						if in := c.batch(); graphed {
							losses = append(losses, graphs.Call(in...)[0].Item())
						} else {
							losses = append(losses, step(in)[0].Item())
						}
					})
				}
				return losses, graphs.Refused()
			}
			want, _ := train(false)
			got, refused := train(true)
			assert.Equal(t, want, got)
			assert.Empty(t, refused)
		})
	}
}

// Each replay of a graph checks parameters and values against the distribution's regions.
func TestGraphsValidate(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		rate, matrix := torch.Ones(torch.Shape{2}), torch.Eye(2)
		for name, c := range map[string]struct {
			step         func(x *torch.Tensor) *torch.Tensor
			x, good, bad *torch.Tensor
			error        string
		}{
			"a parameter": {
				func(x *torch.Tensor) *torch.Tensor { return distributions.NewExponential(x).LogProb(rate) },
				rate.Clone(), torch.Full(torch.Shape{2}, 2), torch.FromSlice([]float32{1, -1}),
				"distributions.NewExponential: argument rate: expected all values to satisfy the constraint " +
					"GreaterThan(lower_bound=0.0)",
			},
			"a value": {
				func(x *torch.Tensor) *torch.Tensor {
					return distributions.NewUniform(rate.MulScalar(0), rate).LogProb(x)
				},
				torch.Zeros(torch.Shape{2}), torch.Full(torch.Shape{2}, 0.5), torch.Full(torch.Shape{2}, 2),
				"argument value: expected all values to be within the support",
			},
			"a matrix": {func(x *torch.Tensor) *torch.Tensor {
				return distributions.NewMultivariateNormal(rate, distributions.CovarianceMatrix(x)).Entropy()
			}, matrix.Clone(), matrix.MulScalar(2), matrix.Neg(), "argument CovarianceMatrix: expected all values"},
		} {
			t.Run(name, func(t *testing.T) {
				torch.Scope(func() {
					g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{c.step(c.x)} },
						torch.Inputs{c.x})
					defer g.Close()
					require.True(t, c.step(c.good).Equal(g.Call(c.good)[0]))
					err := torch.Try(func() { g.Call(c.bad) })
					require.ErrorIs(t, err, torch.ErrValue)
					assert.ErrorContains(t, err, c.error)
					require.True(t, c.step(c.good).Equal(g.Call(c.good)[0]))
					require.ErrorIs(t, torch.Try(func() { c.step(c.bad) }), torch.ErrValue)
				})
			})
		}
	})
}
