package optim_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// param makes a parameter of two elements with a gradient of 1 and 2.
func param() *torch.Tensor {
	p := torch.FromSliceWith([]float32{1, 1}, torch.Shape{2}, torch.RequiresGrad)
	p.SetGrad(torch.FromSlice([]float32{1, 2}))
	return p
}

func TestZeroGrad(t *testing.T) {
	scoped(t, func() {
		a, b := param(), param()
		o := optim.NewSGD([]*torch.Tensor{a, b})
		defer o.Close()
		o.ZeroGradToZeros()
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
		o := optim.NewSGD([]*torch.Tensor{a}, optim.SGDOptions{LR: 1})
		defer o.Close()
		o.AddParamGroup([]*torch.Tensor{b}, optim.SGDOptions{LR: 0.5})
		o.Step()
		assert.Equal(t, []float32{0, -1}, a.Float32s())
		assert.Equal(t, []float32{0.5, 0}, b.Float32s())
		gs := o.ParamGroups()
		require.Len(t, gs, 2)
		assert.Same(t, b, gs[1].Params()[0])
		gs[1].LR = 0
		o.Step()
		assert.Equal(t, []float32{0.5, 0}, b.Float32s())
		o.SetLR(0.25)
		assert.InDelta(t, 0.25, gs[1].LR, 0)
		assert.InDelta(t, 0.25, o.LR(), 0)
	})
}

func TestResumesWhereItWas(t *testing.T) {
	for _, name := range []string{"SGD", "Adam", "AdamW"} {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				r := run{Optimizer: name}
				r.Options.LR, r.Options.Amsgrad = 0.1, name == "Adam"
				if name == "SGD" {
					r.Options.Momentum = 0.9
				}
				a, b := param(), param()
				first := r.optimizer([]*torch.Tensor{a})
				defer first.Close()
				for range 5 {
					first.Step()
				}
				r.Options.LR = 0.3 // replaced by what was saved
				second := r.optimizer([]*torch.Tensor{b})
				defer second.Close()
				b.SetData(a.Detach().Clone())
				live := torch.LiveTensors()
				sd := first.StateDict()
				require.NoError(t, second.LoadStateDict(sd))
				require.NoError(t, sd.Close())
				assert.Equal(t, live, torch.LiveTensors())
				for range 5 {
					first.Step()
					second.Step()
				}
				assert.Equal(t, a.Float32s(), b.Float32s())
			})
		})
	}
}

func TestStateDictErrors(t *testing.T) {
	scoped(t, func() {
		a, b := param(), param()
		one, two := optim.NewAdam([]*torch.Tensor{a}), optim.NewAdam([]*torch.Tensor{a, b})
		defer one.Close()
		defer two.Close()
		one.Step()
		require.ErrorIs(t, two.LoadStateDict(one.StateDict()), torch.ErrValue)
		require.ErrorIs(t, two.LoadStateDict(nil), torch.ErrNil)
		sd := one.StateDict()
		sd.State[0]["exp_avg"] = torch.Zeros(torch.Shape{3})
		require.ErrorIs(t, one.LoadStateDict(sd), torch.ErrValue)
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
			"Step": o.Step, "ZeroGrad": o.ZeroGrad, "StateDict": func() { o.StateDict() },
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

// The kernels walk memory, so parameters and gradients of other layouts than
// the plain one take another path.
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
				p := fn().Detach().SetRequiresGrad(true)
				p.SetGrad(g)
				o := optim.NewSGD([]*torch.Tensor{p}, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
				o.Step()
				assert.InDeltaSlice(t, want.Float32s(), p.Float32s(), 1e-6, "%s, gradient %s", name, layout)
				o.Step()
				assert.InDeltaSlice(t, want.AddScalar(-0.19).Float32s(), p.Float32s(), 1e-6, "%s, gradient %s", name, layout)
				o.Close()
			}
		}
	})
}

func TestMixedDTypes(t *testing.T) {
	scoped(t, func() {
		var ps []*torch.Tensor
		for _, d := range []torch.DType{torch.Float32, torch.Float64, torch.BFloat16, torch.Float32, torch.Complex64} {
			p := torch.Ones(torch.Shape{2}, d, torch.RequiresGrad)
			p.SetGrad(torch.Ones(torch.Shape{2}, d))
			ps = append(ps, p)
		}
		o := optim.NewAdamW(ps, optim.AdamWOptions{LR: 0.5, NoWeightDecay: true})
		defer o.Close()
		o.Step()
		for _, p := range ps {
			assert.InDelta(t, 0.5, real(p.Complex128s()[0]), 1e-5, p.DType())
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
				scaled.StepScaled(scale, inf) // changes nothing, and does not count
			}
		}
		assert.InDeltaSlice(t, a.Float32s(), b.Float32s(), 1e-7)
		assert.InDelta(t, 4, scaled.StateDict().State[0]["step"].Item(), 0)
	})
}

func TestSettingsOfAGroupMayChange(t *testing.T) {
	scoped(t, func() {
		p := param()
		o := optim.NewAdam([]*torch.Tensor{p}, optim.AdamOptions{LR: 0.1})
		defer o.Close()
		o.Step()
		o.ParamGroups()[0].Amsgrad = true // state for it is made on the way
		o.Step()
		assert.Contains(t, o.StateDict().State[0], "max_exp_avg_sq")
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
			"no parameters":   {torch.ErrValue, func() { optim.NewSGD(nil) }},
			"nil parameter":   {torch.ErrNil, func() { optim.NewSGD([]*torch.Tensor{nil}) }},
			"closed":          {torch.ErrClosed, func() { optim.NewAdam([]*torch.Tensor{closed}) }},
			"computed":        {torch.ErrAutograd, func() { optim.NewAdam([]*torch.Tensor{p.MulScalar(2)}) }},
			"integers":        {torch.ErrDType, func() { optim.NewAdam([]*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.Int64)}) }},
			"twice":           {torch.ErrValue, func() { optim.NewAdam([]*torch.Tensor{p, p}) }},
			"in two groups":   {torch.ErrValue, func() { o.AddParamGroup(list) }},
			"learning rate":   {torch.ErrValue, func() { optim.NewAdamW(list, optim.AdamWOptions{LR: -1}) }},
			"NaN":             {torch.ErrValue, func() { optim.NewAdamW(list, optim.AdamWOptions{LR: math.NaN()}) }},
			"set rate":        {torch.ErrValue, func() { o.SetLR(-1) }},
			"betas":           {torch.ErrValue, func() { optim.NewAdam(list, optim.AdamOptions{Betas: [2]float64{0.9, 1}}) }},
			"eps":             {torch.ErrValue, func() { optim.NewAdam(list, optim.AdamOptions{Eps: -1}) }},
			"weight decay":    {torch.ErrValue, func() { optim.NewSGD(list, optim.SGDOptions{WeightDecay: -1}) }},
			"momentum":        {torch.ErrValue, func() { optim.NewSGD(list, optim.SGDOptions{Momentum: -1}) }},
			"nesterov":        {torch.ErrValue, func() { optim.NewSGD(list, optim.SGDOptions{Nesterov: true}) }},
			"two options":     {torch.ErrValue, func() { optim.NewSGD(list, optim.SGDOptions{}, optim.SGDOptions{}) }},
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
		assert.Zero(t, testing.AllocsPerRun(20, o.Step))
	})
}

func ExampleNewAdamW() {
	torch.ManualSeed(0)
	w := torch.FromSliceWith([]float32{5, -3}, torch.Shape{2}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewAdamW([]*torch.Tensor{w}, optim.AdamWOptions{LR: 0.1})
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
