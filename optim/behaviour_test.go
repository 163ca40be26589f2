package optim_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// param returns a parameter with two elements and the gradient [1, 2].
func param() *torch.Tensor {
	p := torch.FromSliceWith([]float32{1, 1}, torch.Shape{2}, torch.RequiresGrad(true))
	p.SetGrad(torch.FromSlice([]float32{1, 2}))
	return p
}

func TestZeroGrad(t *testing.T) {
	scoped(t, func() {
		a, b := param(), param()
		o := optim.NewSGD([]*torch.Tensor{a, b})
		defer o.Close()
		o.ZeroGrad(optim.SetToNone(false))
		assert.Equal(t, []float32{0, 0}, a.Grad().Float32s())
		o.ZeroGrad()
		assert.Nil(t, a.Grad())
		assert.Nil(t, b.Grad())
		o.Step()
		assert.Equal(t, []float32{1, 1}, a.Float32s())
	})
}

func TestGroups(t *testing.T) {
	scoped(t, func() {
		a, b := param(), param()
		o := optim.NewSGD([]*torch.Tensor{a}, optim.LR(1))
		defer o.Close()
		o.AddParamGroup([]*torch.Tensor{b}, optim.LR(0.5))
		o.Step()
		assert.Equal(t, []float32{0, -1}, a.Float32s())
		assert.Equal(t, []float32{0.5, 0}, b.Float32s())
		gs := o.ParamGroups()
		require.Len(t, gs, 2)
		assert.Same(t, b, gs[1].Params[0])
		gs[1].Set(optim.LR(0))
		o.Step()
		assert.Equal(t, []float32{0.5, 0}, b.Float32s())
		gs[1].SetLR(0.25)
		assert.InDelta(t, 0.25, gs[1].LR(), 0)
	})
}

func TestCloseFreesTheState(t *testing.T) {
	scoped(t, func() {
		p := param()
		memory.Collect()
		before := memory.Requested(torch.CPU)
		o := optim.NewAdamW([]*torch.Tensor{p})
		o.Step()
		assert.Greater(t, memory.Requested(torch.CPU), before, "the state is native memory")
		require.NoError(t, o.Close())
		assert.Equal(t, before, memory.Requested(torch.CPU))
		require.NoError(t, o.Close())
		for name, fn := range map[string]func(){
			"Step": o.Step, "ZeroGrad": func() { o.ZeroGrad() }, "StateDict": func() { o.StateDict() },
			"State":         func() { o.State(p) },
			"AddParamGroup": func() { o.AddParamGroup([]*torch.Tensor{param()}) },
		} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrClosed, name)
		}
		assert.ErrorIs(t, o.LoadStateDict(&optim.StateDict{}), torch.ErrClosed)
	})
}

func TestCollectedOptimizer(t *testing.T) {
	scoped(t, func() {
		p := param()
		memory.Collect()
		before := memory.Requested(torch.CPU)
		for range 50 {
			optim.NewAdamW([]*torch.Tensor{p}).Step()
		}
		assert.Greater(t, memory.Requested(torch.CPU), before)
		memory.Collect()
		assert.Equal(t, before, memory.Requested(torch.CPU))
		assert.False(t, p.IsClosed())
		p.Add(p)
	})
}

// Kernels process contiguous memory directly. Parameters and gradients with other layouts
// use a different code path.
func TestLayouts(t *testing.T) {
	scoped(t, func() {
		want := torch.Arange(0, 6, 1, torch.Float32).Reshape(2, 3).AddScalar(-0.1)
		grad := func() *torch.Tensor { return torch.Ones(torch.Shape{2, 3}) }
		makers := map[string]func() *torch.Tensor{
			"plain":      func() *torch.Tensor { return torch.Arange(0, 6, 1, torch.Float32).Reshape(2, 3) },
			"transposed": func() *torch.Tensor { return torch.FromSlice([]float32{0, 3, 1, 4, 2, 5}, 3, 2).T() },
			"with gaps": func() *torch.Tensor {
				return torch.FromSlice([]float32{0, 9, 1, 9, 2, 9, 3, 9, 4, 9, 5, 9}, 2, 3, 2).Select(2, 0)
			},
		}
		for name, fn := range makers {
			for layout, g := range map[string]*torch.Tensor{
				"plain": grad(), "transposed": torch.Ones(torch.Shape{3, 2}).T(),
			} {
				p := fn().Detach().RequiresGrad_()
				p.SetGrad(g)
				o := optim.NewSGD([]*torch.Tensor{p}, optim.LR(0.1), optim.Momentum(0.9))
				o.Step()
				assert.InDeltaSlice(t, want.Float32s(), p.Float32s(), 1e-6, "%s, gradient %s", name, layout)
				o.Step()
				assert.InDeltaSlice(t, want.AddScalar(-0.19).Float32s(), p.Float32s(), 1e-6, "%s, gradient %s", name,
					layout)
				o.Close()
			}
		}
	})
}

func TestMixedDTypes(t *testing.T) {
	scoped(t, func() {
		var ps []*torch.Tensor
		for _, d := range []torch.DType{torch.Float32, torch.Float64, torch.BFloat16, torch.Float32, torch.Complex64} {
			p := torch.Ones(torch.Shape{2}, d, torch.RequiresGrad(true))
			p.SetGrad(torch.Ones(torch.Shape{2}, d))
			ps = append(ps, p)
		}
		o := optim.NewAdamW(ps, optim.LR(0.5), optim.WeightDecay(0))
		defer o.Close()
		o.Step()
		for _, p := range ps {
			tolerance := 1e-5
			if p.DType() == torch.BFloat16 {
				tolerance = 1.0 / 256
			}
			assert.InDelta(t, 0.5, real(p.Complex128s()[0]), tolerance, p.DType())
		}
	})
}

func TestScaledGradients(t *testing.T) {
	scoped(t, func() {
		a, b := param(), param()
		plain, scaled := optim.NewAdam([]*torch.Tensor{a}), optim.NewAdam([]*torch.Tensor{b})
		defer plain.Close()
		defer scaled.Close()
		scale := torch.Full(torch.Shape{1}, 8, torch.Float32)
		fine, inf := torch.Zeros(torch.Shape{1}), torch.Ones(torch.Shape{1})
		for i := range 4 {
			plain.Step()
			b.SetGrad(torch.FromSlice([]float32{8, 16}))
			scaled.StepScaled(scale, fine)
			if i == 1 {
				b.SetGrad(torch.FromSlice([]float32{float32(math.Inf(1)), 0}))
				scaled.StepScaled(scale, inf) // does not change the parameters, and does not count as a step
			}
		}
		assert.InDeltaSlice(t, a.Float32s(), b.Float32s(), 1e-7)
		assert.InDelta(t, 4, scaled.State(b)["step"].Item(), 0)
	})
}

func TestSettingsOfAGroupMayChange(t *testing.T) {
	scoped(t, func() {
		p := param()
		o := optim.NewAdam([]*torch.Tensor{p}, optim.LR(0.1))
		defer o.Close()
		o.Step()
		o.ParamGroups()[0].Set(optim.AMSGrad(true)) // the next step must create its state
		o.Step()
		assert.Contains(t, o.State(p), "max_exp_avg_sq")
	})
}

func TestBadInput(t *testing.T) {
	scoped(t, func() {
		p := param()
		closed := param()
		closed.Close()
		list := []*torch.Tensor{p}
		o := optim.NewSGD(list)
		defer o.Close()
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"no parameters": {torch.ErrValue, func() { optim.NewSGD(nil) }},
			"nil parameter": {torch.ErrNil, func() { optim.NewSGD([]*torch.Tensor{nil}) }},
			"closed":        {torch.ErrClosed, func() { optim.NewAdam([]*torch.Tensor{closed}) }},
			"computed":      {torch.ErrAutograd, func() { optim.NewAdam([]*torch.Tensor{p.MulScalar(2)}) }},
			"integers": {torch.ErrDType, func() {
				optim.NewAdam([]*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.Int64)})
			}},
			"twice":           {torch.ErrValue, func() { optim.NewAdam([]*torch.Tensor{p, p}) }},
			"in two groups":   {torch.ErrValue, func() { o.AddParamGroup(list) }},
			"learning rate":   {torch.ErrValue, func() { optim.NewAdamW(list, optim.LR(-1)) }},
			"NaN":             {torch.ErrValue, func() { optim.NewAdamW(list, optim.LR(math.NaN())) }},
			"set rate":        {torch.ErrValue, func() { o.ParamGroups()[0].SetLR(-1) }},
			"set":             {torch.ErrValue, func() { o.ParamGroups()[0].Set(optim.LR(1), optim.Momentum(-1)) }},
			"no such setting": {torch.ErrValue, func() { o.ParamGroups()[0].Betas() }},
			"no such option":  {torch.ErrValue, func() { o.ParamGroups()[0].Set(optim.Eps(1)) }},
			"nil option":      {torch.ErrNil, func() { optim.NewSGD(list, nil) }},
			"both":            {torch.ErrValue, func() { optim.NewSGD(list, optim.Fused(true), optim.Foreach(true)) }},
			"betas":           {torch.ErrValue, func() { optim.NewAdam(list, optim.Betas(0.9, 1)) }},
			"eps":             {torch.ErrValue, func() { optim.NewAdam(list, optim.Eps(-1)) }},
			"weight decay":    {torch.ErrValue, func() { optim.NewSGD(list, optim.WeightDecay(-1)) }},
			"momentum":        {torch.ErrValue, func() { optim.NewSGD(list, optim.Momentum(-1)) }},
			"nesterov":        {torch.ErrValue, func() { optim.NewSGD(list, optim.Nesterov(true)) }},
			"closed gradient": {torch.ErrClosed, func() { o.StepScaled(closed, nil) }},
		} {
			err := torch.Try(c.fn)
			if assert.Error(t, err, name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", name, err)
			}
		}
	})
}

func TestStepAllocatesLittle(t *testing.T) {
	scoped(t, func() {
		var ps []*torch.Tensor
		for range 20 {
			ps = append(ps, param())
		}
		o := optim.NewAdamW(ps)
		defer o.Close()
		o.Step()
		assert.Zero(t, optiontest.LeastAllocations(o.Step))
	})
}

func ExampleNewAdamW() {
	torch.ManualSeed(0)
	w := torch.FromSliceWith([]float32{5, -3}, torch.Shape{2}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewAdamW([]*torch.Tensor{w}, optim.LR(0.1))
	defer opt.Close()
	for range 200 {
		torch.Scope(func() {
			loss := w.Mul(w).Sum()
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		})
	}
	torch.Scope(func() { fmt.Printf("%.1f\n", w.Abs().Max().Item()) })
	// Output: 0.0
}
