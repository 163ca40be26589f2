package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// A graphed step of every optimizer gives the same results as the step without a graph. The test
// uses batches of several sizes, a schedule, and a group that is added later.
func TestGraphedStep(t *testing.T) {
	each(t, func(t *testing.T, m member) {
		type training struct {
			w    *torch.Tensor
			opt  optim.Optimizer
			rate schedule.Scheduler
		}
		made := func() *training {
			torch.ManualSeed(2)
			w := torch.Randn(torch.Shape{4, 2}).RequiresGrad_()
			o := m.fresh(list(w))
			return &training{w, o, schedule.NewStepLR(o, 4, schedule.Gamma(0.5))}
		}
		a, b := made(), made()
		defer a.opt.Close()
		defer b.opt.Close()
		forward := func(r *training) func(*torch.Tensor) *torch.Tensor {
			return func(x *torch.Tensor) *torch.Tensor { return x.MatMul(r.w) }
		}
		loss := func(p, y *torch.Tensor) *torch.Tensor { return p.Sub(y).Square().Mean() }
		step := optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor {
			return loss(forward(b)(batch[0]), batch[1])
		}, b.opt)
		defer step.Close()
		for i := range 20 {
			torch.Scope(func() {
				n := int64(3 + i%2)
				x, y := torch.Randn(torch.Shape{n, 4}), torch.Randn(torch.Shape{n, 2})
				a.opt.ZeroGrad()
				want := loss(forward(a)(x), y)
				want.Backward()
				a.opt.Step()
				got := step.Call(x, y)
				require.True(t, want.Equal(got) && a.w.Equal(b.w), "step %d", i)
				a.rate.Step()
				b.rate.Step()
			})
		}
		if m.name == "Lion" { // Lion reads its settings as Go numbers, so its steps cannot be captured
			require.Len(t, step.Refused(), 1)
			assert.Contains(t, step.Refused()[0], "only the steps of optimizers of package optim can be captured")
			return
		}
		assert.Empty(t, step.Refused())
		assert.Equal(t, 2, step.Len())
	})
}

// Clipping and accumulation in a graphed step give the same results as a loop without graphs. The
// model has three inputs.
func TestGraphedStepParts(t *testing.T) {
	type training struct {
		net *nn.Sequential
		opt *optim.AdamW
	}
	for name, n := range map[string]int{"each": 1, "two": 2, "four": 4} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			made := func() training {
				torch.ManualSeed(2)
				net := nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU(), nn.NewLinear(8, 2))
				return training{net, optim.NewAdamW(net.Parameters(), optim.LR(0.01))}
			}
			a, b := made(), made()
			for _, r := range []training{a, b} {
				defer r.net.Close()
				defer r.opt.Close()
			}
			loss := func(net *nn.Sequential, x, y, weight *torch.Tensor) *torch.Tensor {
				return net.Forward(x).Sub(y).Square().Mul(weight).Mean()
			}
			step := optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor {
				return loss(b.net, batch[0], batch[1], batch[2])
			}, b.opt, optim.Accumulate(n), optim.BeforeStep(func() {
				_ = nnutil.ClipGradNorm_(b.net.Parameters(), 0.1).Close()
			}),
				optim.GraphOptions{torch.NumWarmupIters(0)})
			defer step.Close()
			for i := range 12 * n {
				torch.Scope(func() {
					x, y, weight := torch.Randn(torch.Shape{3, 4}), torch.Randn(torch.Shape{3, 2}),
						torch.Rand(torch.Shape{3, 1})
					if i%n == 0 {
						a.opt.ZeroGrad()
					}
					want := loss(a.net, x, y, weight)
					if n == 1 {
						want.Backward()
					} else {
						want.DivScalar(n).Backward()
					}
					if i%n == n-1 {
						nnutil.ClipGradNorm_(a.net.Parameters(), 0.1)
						a.opt.Step()
					}
					got := step.Call(x, y, weight)
					require.True(t, want.Equal(got), "step %d", i)
					for k, p := range a.net.Parameters() {
						require.True(t, p.Equal(b.net.Parameters()[k]), "step %d, parameter %d", i, k)
					}
				})
			}
			assert.Empty(t, step.Refused())
			assert.LessOrEqual(t, step.Len(), n)
		})
	}
}

func TestGraphedStepBadArguments(t *testing.T) {
	w := torch.Ones(torch.Shape{2}).RequiresGrad_()
	defer w.Close()
	opt := optim.NewSGD(list(w))
	defer opt.Close()
	loss := func(batch []*torch.Tensor) *torch.Tensor { return batch[0].Mul(w).Mean() }
	var itself *optim.TrainingStep
	itself = optim.GraphedStep(func(batch []*torch.Tensor) *torch.Tensor { return itself.Call(batch...) }, opt)
	defer itself.Close()
	for name, c := range map[string]struct {
		kind error
		call func()
	}{
		"loss":      {torch.ErrNil, func() { optim.GraphedStep(nil, opt) }},
		"optimizer": {torch.ErrNil, func() { optim.GraphedStep(loss, nil) }},
		"a nil one": {torch.ErrNil, func() { optim.GraphedStep(loss, (*optim.SGD)(nil)) }},
		"option":    {torch.ErrNil, func() { optim.GraphedStep(loss, opt, nil) }},
		"before":    {torch.ErrNil, func() { optim.GraphedStep(loss, opt, optim.BeforeStep(nil)) }},
		"graphs":    {torch.ErrNil, func() { optim.GraphedStep(loss, opt, optim.GraphOptions{nil}) }},
		"number":    {torch.ErrValue, func() { optim.GraphedStep(loss, opt, optim.Accumulate(0)) }},
		"no step":   {torch.ErrNil, func() { new(optim.TrainingStep).Call() }},
		"itself":    {torch.ErrRuntime, func() { itself.Call(w) }},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, torch.Try(c.call), c.kind) })
	}
}

// A graphed step that is not closed is garbage-collected, even if the program drops it between the
// two calls that record it.
func TestDroppedGraphedSteps(t *testing.T) {
	for calls := range 8 {
		memory.Collect()
		memory.Collect()
		before := torch.NumLiveTensors()
		func() {
			model := nn.NewLinear(2, 1)
			defer model.Close()
			opt := optim.NewAdamW(model.Parameters(), optim.Fused(true))
			defer opt.Close()
			step := optim.GraphedStep(func(b []*torch.Tensor) *torch.Tensor { return model.Forward(b[0]).Sum() }, opt)
			for range calls {
				torch.Scope(func() { step.Call(torch.Ones(torch.Shape{3, 2})) })
			}
		}()
		memory.Collect()
		memory.Collect()
		assert.Equal(t, before, torch.NumLiveTensors(), "%d calls", calls)
	}
}
