package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func TestStepHooks(t *testing.T) {
	scoped(t, func() {
		var said []string
		note := func(s string) func(optim.Optimizer) {
			return func(o optim.Optimizer) { said = append(said, s+" "+o.(*optim.SGD).ParamGroups()[0].String()[:10]) }
		}
		p := param()
		o := optim.NewSGD(list(p), optim.LR(0.5))
		defer o.Close()
		hooks := []*optim.Hook{
			o.RegisterStepPreHook(note("pre")), o.RegisterStepPostHook(note("post")),
			optim.RegisterOptimizerStepPreHook(note("all pre")), optim.RegisterOptimizerStepPostHook(note("all post")),
		}
		o.Step()
		assert.Equal(t, []string{"all pre {'params':", "pre {'params':", "post {'params':", "all post {'params':"},
			said)
		assert.Equal(t, []float32{0.5, 0}, p.Float32s())
		for _, h := range hooks {
			h.Remove()
			h.Remove()
		}
		said = nil
		loss := o.StepClosure(func() *torch.Tensor {
			assert.True(t, torch.IsGradEnabled())
			return torch.FromSlice([]float32{3})
		})
		assert.Empty(t, said)
		assert.InDelta(t, 3, loss.Item(), 0)
		assert.Equal(t, []float32{0, -1}, p.Float32s())
		for name, fn := range map[string]func(){
			"pre": func() { o.RegisterStepPreHook(nil) }, "post": func() { optim.RegisterOptimizerStepPostHook(nil) },
			"closure": func() { o.StepClosure(nil) }, "nil": func() { (*optim.Hook)(nil).Remove() },
		} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrNil, name)
		}
		assert.ErrorIs(t, torch.Try(new(optim.Hook).Remove), torch.ErrValue)
	})
}

// A hook may remove itself. A hook that panics stops the step.
func TestHooksThatChangeThings(t *testing.T) {
	scoped(t, func() {
		p := param()
		o := optim.NewAdam(list(p))
		defer o.Close()
		n := 0
		var once *optim.Hook
		once = o.RegisterStepPreHook(func(optim.Optimizer) { n++; once.Remove() })
		bad := o.RegisterStepPreHook(func(optim.Optimizer) { panic(torch.NewError("hook", torch.ErrValue, "x", "no")) })
		require.ErrorIs(t, torch.Try(o.Step), torch.ErrValue)
		assert.Empty(t, o.State(p))
		bad.Remove()
		o.Step()
		assert.Equal(t, 1, n)
	})
}

func TestStateDictHooks(t *testing.T) {
	scoped(t, func() {
		p := param()
		o := optim.NewSGD(list(p), optim.LR(0.5), optim.Momentum(0.5))
		defer o.Close()
		o.Step()
		o.RegisterStateDictPreHook(func(optim.Optimizer) { o.ParamGroups()[0].SetLR(0.25) })
		o.RegisterStateDictPostHook(func(_ optim.Optimizer, sd *optim.StateDict) *optim.StateDict {
			sd.ParamGroups[0].Settings["momentum"] = 0.75
			return nil
		})
		sd := o.StateDict()
		assert.InDelta(t, 0.25, sd.ParamGroups[0].Settings["lr"], 0)
		assert.InDelta(t, 0.75, sd.ParamGroups[0].Settings["momentum"], 0)
		done := 0
		o.RegisterLoadStateDictPreHook(func(_ optim.Optimizer, sd *optim.StateDict) *optim.StateDict {
			if len(sd.ParamGroups) > 0 {
				sd.ParamGroups[0].Settings["lr"] = 0.125
			}
			return nil
		})
		o.RegisterLoadStateDictPostHook(func(optim.Optimizer) { done++ })
		require.NoError(t, o.LoadStateDict(sd))
		assert.InDelta(t, 0.125, o.ParamGroups()[0].LR(), 0)
		assert.InDelta(t, 0.25, sd.ParamGroups[0].Settings["lr"], 0, "the caller's stays")
		assert.Equal(t, 1, done)
		require.Error(t, o.LoadStateDict(&optim.StateDict{}))
		assert.Equal(t, 1, done)
	})
}

// LBFGS cannot step without a closure. Base.Run adds a step with a closure to other optimizers.
func TestClosures(t *testing.T) {
	scoped(t, func() {
		l := optim.NewLBFGS(list(param()))
		defer l.Close()
		require.ErrorIs(t, torch.Try(l.Step), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { l.StepClosure(nil) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { l.StepClosure(func() *torch.Tensor { return nil }) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { l.AddParamGroup(list(param())) }), torch.ErrValue)

		o := NewLion(list(param()))
		defer o.Close()
		n := 0
		o.RegisterStepPreHook(func(opt optim.Optimizer) { assert.Same(t, o, opt); n++ })
		loss := o.Run(o, func() *torch.Tensor { n++; return torch.Ones(torch.Shape{}) }, func() {
			assert.False(t, torch.IsGradEnabled())
			n++
		})
		assert.InDelta(t, 1, loss.Item(), 0)
		assert.Equal(t, 3, n)
		require.ErrorIs(t, torch.Try(func() { o.Run(o, nil, nil) }), torch.ErrNil)
	})
}
