package optim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optimtest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// anySetting is an option with any name and value.
type anySetting struct {
	name  string
	value any
}

func (s anySetting) Setting() (string, any) { return s.name, s.value }

// A setting that a step cannot use is rejected when it is set, and later steps work as before.
func TestRefusedSettings(t *testing.T) {
	for _, c := range []struct {
		name  string
		value any
		kind  error
	}{
		{"betas", nil, torch.ErrValue},
		{"lr", nil, torch.ErrValue},
		{"amsgrad", nil, torch.ErrValue},
		{"lr", int64(-1), torch.ErrValue},
		{"lr", -1, torch.ErrValue},
		{"initial_lr", int64(-5), torch.ErrValue},
		{"initial_lr", "x", torch.ErrType},
		{"lr", "x", torch.ErrType},
		{"betas", 0.5, torch.ErrType},
		{"amsgrad", int64(1), torch.ErrType},
		{"foreach", "yes", torch.ErrType},
		{"fused", 1.0, torch.ErrType},
		{"lr", float32(1), torch.ErrType},
		{"decoupled_weight_decay", false, torch.ErrValue},
		{"differentiable", true, torch.ErrValue},
	} {
		scoped(t, func() {
			p := param()
			o := optim.NewAdamW([]*torch.Tensor{p})
			defer o.Close()
			g := o.ParamGroups()[0]
			before := o.String()
			s := anySetting{c.name, c.value}
			assert.ErrorIs(t, torch.Try(func() { g.Set(optim.InitialLR(1), s) }), c.kind, "Set of %v", s)
			assert.ErrorIs(t, torch.Try(func() { g.Define(s) }), c.kind, "Define of %v", s)
			sd := o.StateDict()
			sd.ParamGroups[0].Settings[c.name] = c.value
			assert.ErrorIs(t, o.LoadStateDict(sd), c.kind, "LoadStateDict of %v", s)
			assert.Equal(t, before, o.String())
			o.Step()
		})
	}
}

func TestIntsAreFloats(t *testing.T) {
	scoped(t, func() {
		o := optim.NewSGD([]*torch.Tensor{param()})
		defer o.Close()
		g := o.ParamGroups()[0]
		g.Set(anySetting{"lr", int64(2)}, anySetting{"dampening", 3})
		assert.InDelta(t, 2, g.LR(), 0)
		assert.InDelta(t, 3, g.Dampening(), 0)
		sd := o.StateDict()
		sd.ParamGroups[0].Settings["lr"] = int64(4)
		require.NoError(t, o.LoadStateDict(sd))
		assert.InDelta(t, 4, g.LR(), 0)
	})
}

// Only settings whose default is None can be set to None.
func TestNoneMayBecomeNoneAgain(t *testing.T) {
	scoped(t, func() {
		o := optim.NewSGD([]*torch.Tensor{param()}, optim.Foreach(true))
		defer o.Close()
		g := o.ParamGroups()[0]
		g.Set(anySetting{"foreach", nil})
		v, ok := g.Get("foreach")
		assert.True(t, ok)
		assert.Nil(t, v)
		g.Define(anySetting{"note", nil})
		g.Define(anySetting{"note", "x"})
		g.Define(anySetting{"note", nil})
	})
}

func TestNothingGiven(t *testing.T) {
	scoped(t, func() {
		ps := []*torch.Tensor{param()}
		o := optim.NewAdam(ps)
		defer o.Close()
		for name, fn := range map[string]func(){
			"Define":   func() { o.ParamGroups()[0].Define(nil) },
			"Set":      func() { o.ParamGroups()[0].Set(nil) },
			"defaults": func() { optim.NewBase("X", ps, []optim.Option{nil}) },
			"Step":     func() { new(optim.Adam).Step() },
			"Base":     func() { new(optim.Base).ZeroGrad() },
			"LoadStateDict": func() {
				if err := new(optim.SGD).LoadStateDict(o.StateDict()); err != nil {
					panic(err)
				}
			},
			"group's Set":   func() { new(optim.ParamGroup).Set(optim.LR(1)) },
			"group's LR":    func() { new(optim.ParamGroup).LR() },
			"group's SetLR": func() { new(optim.ParamGroup).SetLR(1) },
		} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrNil, name)
		}
	})
}

// Programs may change Params. If a parameter then occurs twice, the step is rejected before
// anything changes.
func TestParameterTwice(t *testing.T) {
	scoped(t, func() {
		a, b := param(), param()
		o := optim.NewAdam([]*torch.Tensor{a})
		defer o.Close()
		o.AddParamGroup([]*torch.Tensor{b})
		o.Step()
		at := a.Float32s()
		gs := o.ParamGroups()
		for i, with := range []*torch.Tensor{a, b} {
			gs[0].Params = append(gs[0].Params, with)
			for range 2 { // the second step must fail too
				assert.ErrorIs(t, torch.Try(o.Step), torch.ErrValue, i)
			}
			assert.ErrorIs(t, o.LoadStateDict(o.StateDict()), torch.ErrValue)
			assert.Equal(t, at, a.Float32s())
			gs[0].Params = gs[0].Params[:1]
		}
		gs[0].Params, gs[1].Params = gs[1].Params, gs[0].Params // each parameter still occurs once
		o.Step()
		assert.InDelta(t, 2, o.State(a)["step"].Item(), 0)
		assert.NotEqual(t, at, a.Float32s())
	})
}

// stateful is a stepper that lets tests replace its state.
type stateful interface {
	stepper
	StateTensor(p *torch.Tensor, name string) *torch.Tensor
	SetState(p *torch.Tensor, name string, t *torch.Tensor) *torch.Tensor
}

// If a parameter, gradient or state tensor is not writable, the step fails before any parameter
// changes.
func TestUnwritableTensorsChangeNothing(t *testing.T) {
	sparse := func() *torch.Tensor { return torch.Ones(torch.Shape{2}).ToSparse() }
	meta := func() *torch.Tensor { return torch.Zeros(torch.Shape{2}, torch.Meta) }
	expanded := func() *torch.Tensor { return torch.Ones(torch.Shape{1}).Expand(2) }
	for name, fresh := range steppers {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				a := param()
				b := expanded().Detach().RequiresGrad_()
				b.SetGrad(torch.FromSlice([]float32{1, 2}))
				o := fresh([]*torch.Tensor{a, b})
				defer o.Close()
				assert.ErrorIs(t, torch.Try(o.Step), torch.ErrValue, "an expanded parameter")
				assert.Equal(t, []float32{1, 1}, a.Float32s())
				assert.Empty(t, o.State(a))
			})
			for what, bad := range map[string]func() *torch.Tensor{
				"sparse": sparse, "meta": meta,
				"expanded": expanded,
			} {
				scoped(t, func() {
					a, b := param(), param()
					o := fresh([]*torch.Tensor{a, b}).(stateful)
					defer o.Close()
					o.Step()
					at := a.Float32s()
					state := "exp_avg"
					if o.StateTensor(b, state) == nil {
						state = "momentum_buffer"
					}
					buf := o.StateTensor(a, state).Float32s()
					o.SetState(b, state, bad())
					assert.ErrorIs(t, torch.Try(o.Step), torch.ErrValue, what)
					assert.Equal(t, at, a.Float32s(), what)
					assert.Equal(t, buf, o.StateTensor(a, state).Float32s(), what)
					if step := o.StateTensor(a, "step"); step != nil {
						assert.InDelta(t, 1, step.Item(), 0, what)
					}
				})
			}
		})
	}
}

// A step rejects a step count that is not a float. LoadStateDict also rejects negative and other
// unusable step counts.
func TestUselessSteps(t *testing.T) {
	full := func(v float64, opts ...torch.CreateOption) *torch.Tensor {
		return torch.Full(torch.Shape{}, v, opts...)
	}
	for name, c := range map[string]struct {
		kind error
		step func() *torch.Tensor
		set  bool // not only LoadStateDict but also a step rejects it
	}{
		"int":      {torch.ErrType, func() *torch.Tensor { return full(1, torch.Int64) }, true},
		"bool":     {torch.ErrType, func() *torch.Tensor { return full(1, torch.Bool) }, true},
		"complex":  {torch.ErrType, func() *torch.Tensor { return full(1, torch.Complex64) }, true},
		"meta":     {torch.ErrValue, func() *torch.Tensor { return torch.Zeros(torch.Shape{}, torch.Meta) }, true},
		"sparse":   {torch.ErrValue, func() *torch.Tensor { return torch.Ones(torch.Shape{1}).ToSparse() }, true},
		"negative": {torch.ErrValue, func() *torch.Tensor { return full(-1, torch.Float32) }, false},
		"NaN":      {torch.ErrValue, func() *torch.Tensor { return full(math.NaN(), torch.Float32) }, false},
	} {
		scoped(t, func() {
			a, b := param(), param()
			o := optim.NewAdam([]*torch.Tensor{a, b})
			defer o.Close()
			o.Step()
			sd := o.StateDict()
			sd.State[1]["step"] = c.step()
			at := a.Float32s()
			assert.ErrorIs(t, o.LoadStateDict(sd), c.kind, name)
			assert.InDelta(t, 1, o.StateTensor(b, "step").Item(), 0)
			if c.set {
				o.SetState(b, "step", c.step())
				assert.Error(t, torch.Try(o.Step), name)
				assert.Equal(t, at, a.Float32s(), name)
			}
		})
	}
}

func TestUselessState(t *testing.T) {
	scoped(t, func() {
		o := optim.NewAdam([]*torch.Tensor{param()})
		defer o.Close()
		o.Step()
		for name, c := range map[string]struct {
			kind  error
			state *torch.Tensor
		}{
			"sparse":  {torch.ErrValue, torch.Ones(torch.Shape{2}).ToSparse()},
			"meta":    {torch.ErrValue, torch.Zeros(torch.Shape{2}, torch.Meta)},
			"complex": {torch.ErrType, torch.Zeros(torch.Shape{2}, torch.Complex64)},
		} {
			sd := o.StateDict()
			sd.State[0]["exp_avg"] = c.state
			assert.ErrorIs(t, o.LoadStateDict(sd), c.kind, name)
		}
	})
}

// A parameter's state is loaded completely or not at all. A step would otherwise reset the missing
// parts.
func TestStateThatLacksATensor(t *testing.T) {
	matrix := func() *torch.Tensor {
		p := torch.Ones(torch.Shape{2, 2}).RequiresGrad_()
		p.SetGrad(torch.Ones(torch.Shape{2, 2}))
		return p
	}
	optional := map[string]bool{"max_exp_avg_sq": true, "momentum_buffer": true, "grad_avg": true}
	type stateful interface {
		optim.Optimizer
		StateDict() *optim.StateDict
		LoadStateDict(src optim.StateSource) error
	}
	makes := map[string]func() stateful{
		"Adafactor matrix": func() stateful { return optim.NewAdafactor([]*torch.Tensor{matrix()}) },
	}
	for _, every := range optimtest.All() {
		if every.Sparse || every.Closure {
			continue
		}
		makes[every.Name] = func() stateful {
			if every.Matrices {
				return every.New([]*torch.Tensor{matrix()}).(stateful)
			}
			return every.New([]*torch.Tensor{param()}).(stateful)
		}
	}
	for name, make := range makes {
		scoped(t, func() {
			o := make()
			defer o.Close()
			o.Step()
			all := o.StateDict()
			require.NoError(t, o.LoadStateDict(all), name)
			for state := range all.State[0] {
				sd := o.StateDict()
				delete(sd.State[0], state)
				err := o.LoadStateDict(sd)
				if optional[state] || len(all.State[0]) == 1 {
					assert.NoError(t, err, "%s without %s", name, state)
					require.NoError(t, o.LoadStateDict(all), name)
					continue
				}
				assert.ErrorIs(t, err, torch.ErrValue, "%s without %s", name, state)
				assert.ErrorContains(t, err, "parameter 0 has no "+state)
				assert.Len(t, o.StateDict().State[0], len(all.State[0]))
			}
		})
	}
}

// A gradient may be an unresolved conjugate.
func TestConjugateGradient(t *testing.T) {
	for _, foreach := range []bool{false, true} {
		scoped(t, func() {
			var ends []*torch.Tensor
			for _, g := range []*torch.Tensor{
				torch.FromSlice([]complex64{1 + 2i, 3}).Conj(), torch.FromSlice([]complex64{1 - 2i, 3}),
			} {
				p := torch.Ones(torch.Shape{2}, torch.Complex64, torch.RequiresGrad(true))
				p.SetGrad(g)
				o := optim.NewAdam([]*torch.Tensor{p}, optim.LR(0.1), optim.Foreach(foreach))
				o.Step()
				o.Close()
				ends = append(ends, p)
			}
			assert.True(t, ends[0].Equal(ends[1]))
		})
	}
}

// LBFGS rejects a state that lacks the direction for the next iteration. If the closure closes the
// optimizer, the step fails.
func TestLBFGSRefuses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		p := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		l := optim.NewLBFGS([]*torch.Tensor{p}, optim.MaxIter(2))
		loss := func() *torch.Tensor {
			l.ZeroGrad()
			y := p.Mul(p).Sum().Exp()
			y.Backward()
			return y
		}
		l.StepClosure(loss)
		sd := l.StateDict()
		before := sd.String()
		d := sd.State[0]["d"]
		delete(sd.State[0], "d")
		require.ErrorIs(t, l.LoadStateDict(sd), torch.ErrValue)
		sd.State[0]["d"] = nil
		require.ErrorIs(t, l.LoadStateDict(sd), torch.ErrValue)
		sd.State[0]["d"] = d
		delete(sd.State[0], "t")
		delete(sd.Values[0], "t")
		for _, bad := range []*torch.Tensor{
			torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{}, torch.Meta),
			torch.Ones(torch.Shape{}, torch.Complex64),
		} {
			sd.State[0]["t"] = bad
			err := l.LoadStateDict(sd)
			require.ErrorIs(t, err, torch.ErrValue)
			require.ErrorContains(t, err, "t: expected one real number")
		}
		assert.Equal(t, before, l.StateDict().String())
		l.StepClosure(loss)
		calls := 0
		require.ErrorIs(t, torch.Try(func() {
			l.StepClosure(func() *torch.Tensor {
				y := loss()
				if calls++; calls == 2 {
					_ = l.Close()
				}
				return y
			})
		}), torch.ErrClosed)
	})
}
