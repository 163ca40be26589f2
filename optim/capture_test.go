package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

type regression struct {
	x, w, v *torch.Tensor
	opt     optim.Optimizer
}

func newRegression(m member, opts ...optim.Option) *regression {
	torch.ManualSeed(9)
	r := &regression{
		x: torch.Randn(torch.Shape{8, 4}), w: torch.Randn(torch.Shape{4, 4}),
		v: torch.Randn(torch.Shape{4}),
	}
	r.w.SetRequiresGrad(true)
	r.v.SetRequiresGrad(true)
	r.opt = m.fresh(list(r.w, r.v), opts...)
	return r
}

func (r *regression) step() []*torch.Tensor {
	r.opt.ZeroGrad()
	loss := r.x.MatMul(r.w).Add(r.v).Tanh().Square().Mean()
	loss.Backward()
	r.opt.Step()
	return []*torch.Tensor{loss}
}

// The steps of every optimizer compute the same in a graph as without one. This includes step
// counts, learning rates that a schedule changes, and the state that a later step without the graph
// uses.
func TestCapturedSteps(t *testing.T) {
	each(t, func(t *testing.T, m member) {
		eager, graphed := newRegression(m), newRegression(m)
		defer eager.opt.Close()
		defer graphed.opt.Close()
		if m.name == "Lion" { // Lion reads its settings as Go numbers, so its steps cannot be captured
			err := torch.Try(func() { torch.Capture(graphed.step) })
			require.ErrorIs(t, err, torch.ErrRuntime)
			require.ErrorContains(t, err, "only the steps of optimizers of package optim can be captured")
			return
		}
		g := torch.Capture(graphed.step, torch.Inputs{graphed.x})
		defer g.Close()
		for range 3 {
			torch.Scope(func() { eager.step() })
		}
		a := schedule.NewStepLR(eager.opt, 4, schedule.Gamma(0.5))
		b := schedule.NewStepLR(graphed.opt, 4, schedule.Gamma(0.5))
		equal := func(i int) {
			require.True(t, eager.w.Equal(graphed.w) && eager.v.Equal(graphed.v), "parameters after step %d", i)
			require.True(t, eager.w.Grad().Equal(graphed.w.Grad()), "gradients after step %d", i)
		}
		for i := range 20 {
			torch.Scope(func() {
				x := torch.Randn(torch.Shape{8, 4})
				eager.x.Copy_(x)
				g.Feed(x)
				want, got := eager.step(), g.Replay()
				require.True(t, want[0].Equal(got[0]), "the loss of step %d", i)
				equal(i)
				a.Step()
				b.Step()
			})
		}
		torch.Scope(func() {
			eager.step()
			graphed.step()
			equal(20)
		})
		g.Replay()
		torch.Scope(func() { eager.step() })
		equal(21)
	})
}

// A scheduler must step after the replay, not in the captured step.
func TestSchedulesAreNotCaptured(t *testing.T) {
	scoped(t, func() {
		m := members["NewSGD"]
		r := newRegression(m)
		defer r.opt.Close()
		sched := schedule.NewStepLR(r.opt, 1)
		calls := 0
		err := torch.Try(func() {
			torch.Capture(func() []*torch.Tensor {
				out := r.step()
				if calls++; calls > 1 {
					sched.Step()
				}
				return out
			})
		})
		require.ErrorIs(t, err, torch.ErrRuntime)
		assert.ErrorContains(t, err, "a scheduler's Step after the replay")
		assert.EqualValues(t, 0, sched.LastEpoch())
		for _, g := range r.opt.ParamGroups() {
			g.SetLR(0.5) // SetLR is allowed after the capture
		}
	})
}

// A replay fails if the optimizer has changed since its step was captured.
func TestCapturedOptimizersChange(t *testing.T) {
	for name, change := range map[string]func(r *regression){
		"a group":    func(r *regression) { r.opt.AddParamGroup(list(param())) },
		"parameters": func(r *regression) { r.opt.ParamGroups()[0].Params = list(r.w) },
		"state":      func(r *regression) { require.NoError(t, r.opt.LoadStateDict(r.opt.StateDict())) },
		"a kernel":   func(r *regression) { r.opt.ParamGroups()[0].Set(optim.Fused(true)) },
		"closed":     func(r *regression) { _ = r.opt.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				r := newRegression(members["NewAdam"])
				defer r.opt.Close()
				g := torch.Capture(r.step)
				defer g.Close()
				g.Replay()
				before := r.w.Clone()
				change(r)
				err := torch.Try(func() { g.Replay() })
				var e *torch.Error
				require.ErrorAs(t, err, &e)
				assert.True(t, before.Equal(r.w), "nothing was done")
			})
		})
	}
}
