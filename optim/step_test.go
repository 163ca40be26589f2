package optim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// stepper is an optimizer whose steps may be skipped.
type stepper interface {
	optim.Optimizer
	StepScaled(scale, foundInf *torch.Tensor)
}

// steppers are optimizers with state: one of each kind for each implementation.
var steppers = func() map[string]func(ps []*torch.Tensor) stepper {
	all := map[string]func(ps []*torch.Tensor) stepper{}
	for _, how := range []string{"", "foreach", "fused"} {
		o := implementation(how)
		all["SGD/"+how] = func(ps []*torch.Tensor) stepper {
			return optim.NewSGD(ps,
				append(as[optim.SGDOption](o), optim.LR(0.1), optim.Momentum(0.9), optim.Dampening(0.5))...)
		}
		all["Adam/"+how] = func(ps []*torch.Tensor) stepper {
			return optim.NewAdam(ps, append(as[optim.AdamOption](o), optim.LR(0.1), optim.AMSGrad(true))...)
		}
		all["AdamW/"+how] = func(ps []*torch.Tensor) stepper {
			return optim.NewAdamW(ps, append(as[optim.AdamWOption](o), optim.LR(0.1))...)
		}
	}
	return all
}()

// dirty leaves NaN in the memory that the next tensors with n float32 elements get.
func dirty(n int64) {
	for range 8 {
		torch.Scope(func() { torch.Full(torch.Shape{n}, math.NaN(), torch.Float32) })
	}
}

// sameSteps takes two steps with o and with a new optimizer of the same kind, and
// compares the results. The parameters are ones and have gradients.
func sameSteps(t *testing.T, fresh func([]*torch.Tensor) stepper, o stepper, ps []*torch.Tensor) {
	t.Helper()
	var others []*torch.Tensor
	for _, p := range ps {
		q := torch.Ones(p.Shape(), p.DType(), torch.RequiresGrad(true))
		q.SetGrad(p.Grad())
		others = append(others, q)
	}
	want := fresh(others)
	defer want.Close()
	for range 2 {
		o.Step()
		want.Step()
	}
	for i, p := range ps {
		assert.True(t, p.Equal(others[i]), "parameter %d", i)
	}
	for i := range ps {
		got, state := o.State(ps[i]), want.State(others[i])
		require.Len(t, got, len(state))
		for name, s := range state {
			assert.True(t, got[name].Equal(s), "%s of parameter %d", name, i)
		}
	}
}

// If a step is rejected because of one parameter, the other parameters do not change.
func TestRefusedStepChangesNothing(t *testing.T) {
	for name, fresh := range steppers {
		if name == "SGD/" || name == "SGD/foreach" {
			continue // SGD accepts sparse gradients
		}
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				a, b := param(), torch.Ones(torch.Shape{3, 2}, torch.RequiresGrad(true))
				aten.Embedding(b, torch.FromSlice([]int64{0, 2}), -1, false, true).Sum().Backward() // a sparse gradient
				o := fresh([]*torch.Tensor{a, b})
				defer o.Close()
				dirty(2)
				require.ErrorIs(t, torch.Try(o.Step), torch.ErrRuntime)
				assert.Equal(t, []float32{1, 1}, a.Float32s())
				assert.Empty(t, o.State(a))
				b.SetGrad(torch.Ones(torch.Shape{3, 2}))
				sameSteps(t, fresh, o, []*torch.Tensor{a, b})
			})
		})
	}
}

// If a step runs out of memory, no parameter changes. The first buffer still fits.
func TestStepWithoutMemoryChangesNothing(t *testing.T) {
	if memory.Backend(torch.CPU) == "system" {
		t.Skip("only the caching allocator has memory limits")
	}
	const n = 3 << 20 // number of float32 elements; each buffer is so large that it needs its own region
	for name, fresh := range steppers {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				var ps []*torch.Tensor
				for range 3 {
					p := torch.Ones(torch.Shape{n}, torch.RequiresGrad(true))
					p.SetGrad(torch.Full(torch.Shape{n}, 0.5, torch.Float32))
					ps = append(ps, p)
				}
				o := fresh(ps)
				defer o.Close()
				memory.Clear()
				before := memory.Requested(torch.CPU)
				require.NoError(t, memory.SetLimit(torch.CPU, memory.Reserved(torch.CPU)+6*n))
				err := torch.Try(o.Step)
				require.NoError(t, memory.SetLimit(torch.CPU, 0))
				require.ErrorIs(t, err, torch.ErrOutOfMemory)
				assert.Equal(t, before, memory.Requested(torch.CPU))
				assert.Empty(t, o.StateDict().State)
				sameSteps(t, fresh, o, ps)
			})
		})
	}
}

// A first step that is skipped does not count as a step.
func TestSkippedFirstStep(t *testing.T) {
	for name, fresh := range steppers {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				a := param()
				o := fresh([]*torch.Tensor{a})
				defer o.Close()
				dirty(2)
				o.StepScaled(nil, torch.Ones(torch.Shape{1}))
				assert.Equal(t, []float32{1, 1}, a.Float32s())
				sameSteps(t, fresh, o, []*torch.Tensor{a})
			})
		})
	}
}

// Errors about the arguments of StepScaled use the names in its signature.
func TestErrorsNameTheArgumentsOfStepScaled(t *testing.T) {
	scoped(t, func() {
		o := optim.NewSGD([]*torch.Tensor{param()})
		defer o.Close()
		closed, two := torch.Ones(torch.Shape{1}), torch.Ones(torch.Shape{2})
		require.NoError(t, closed.Close())
		for want, args := range map[string][2]*torch.Tensor{
			"StepScaled: argument scale:":    {closed, nil},
			"StepScaled: argument foundInf:": {nil, closed},
			" scale has to be one number":    {two, nil},
			" foundInf has to be one number": {nil, two},
		} {
			assert.ErrorContains(t, torch.Try(func() { o.StepScaled(args[0], args[1]) }), want)
		}
	})
}

// Parameters of several dtypes need several kernel calls, which form one step.
func TestSkippedStepOfMixedDTypes(t *testing.T) {
	scoped(t, func() {
		var ps []*torch.Tensor
		for _, d := range []torch.DType{torch.Float32, torch.Float64} {
			p := torch.Ones(torch.Shape{2}, d, torch.RequiresGrad(true))
			p.SetGrad(torch.Ones(torch.Shape{2}, d))
			ps = append(ps, p)
		}
		o := optim.NewAdam(ps)
		defer o.Close()
		o.Step()
		o.StepScaled(nil, torch.Ones(torch.Shape{1}))
		for _, p := range ps {
			assert.InDelta(t, 1, o.State(p)["step"].Item(), 0)
		}
	})
}

// A parameter without a gradient keeps its step count, while the others continue.
func TestStepsOfParametersThatRest(t *testing.T) {
	scoped(t, func() {
		a, b, c := param(), param(), param()
		o := optim.NewAdam([]*torch.Tensor{a, b, c})
		defer o.Close()
		c.SetGrad(nil)
		o.Step()
		b.SetGrad(nil)
		c.SetGrad(torch.FromSlice([]float32{1, 2}))
		o.Step()
		o.Step()
		b.SetGrad(torch.FromSlice([]float32{1, 2}))
		o.Step()
		for i, want := range []float64{4, 2, 3} {
			assert.InDelta(t, want, o.State([]*torch.Tensor{a, b, c}[i])["step"].Item(), 0, "parameter %d", i)
		}
	})
}

// State has the memory layout of its parameter, even if that layout has gaps.
func TestStateOfAParameterWithGaps(t *testing.T) {
	scoped(t, func() {
		grad := torch.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
		plain := torch.Zeros(torch.Shape{2, 3}, torch.RequiresGrad(true))
		gaps := torch.Zeros(torch.Shape{3, 2, 2}).Select(2, 0).T().Detach().RequiresGrad_()
		for _, p := range []*torch.Tensor{plain, gaps} {
			p.SetGrad(grad)
		}
		o := optim.NewSGD([]*torch.Tensor{plain, gaps}, optim.LR(0.1), optim.Momentum(0.9))
		defer o.Close()
		o.Step()
		o.Step()
		assert.Equal(t, plain.Float32s(), gaps.Float32s())
		assert.Equal(t, o.State(plain)["momentum_buffer"].Float32s(), o.State(gaps)["momentum_buffer"].Float32s())
	})
}
