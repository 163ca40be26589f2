package optim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optimtest"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// member is an optimizer that runs the tests for every optimizer.
type member struct {
	name  string
	fresh func(ps []*torch.Tensor, opts ...optim.Option) optim.Optimizer
	// build is the constructor without the options that fresh always adds.
	build func(ps []*torch.Tensor, opts []optim.Option) optim.Optimizer
	zeros []optim.Option // options that set 0 where the default is not 0
	// foreign is an option that belongs to another optimizer. code is the Go source of a call that
	// uses it.
	foreign optim.Option
	code    string
	takes   func(o optim.Option) bool // reports whether the constructor takes an option
}

// each runs a test for every optimizer, except those that need matrices, sparse gradients or a
// closure. Those have their own tests.
func each(t *testing.T, test func(t *testing.T, m member)) {
	for _, m := range members {
		if o, ok := optimtest.Named(m.name); ok && !o.Plain() {
			continue
		}
		t.Run(m.name, func(t *testing.T) { scoped(t, func() { test(t, m) }) })
	}
}

func list(ps ...*torch.Tensor) []*torch.Tensor { return ps }

func TestEveryOptimizerIsTested(t *testing.T) {
	found := 0
	for _, name := range optiontest.Constructors(t, ".") {
		if name != "NewBase" {
			found++
			assert.Contains(t, members, name)
			_, listed := optimtest.Named(strings.TrimPrefix(name, "New"))
			assert.True(t, listed, "%s is not in internal/optimtest", name)
		}
	}
	assert.GreaterOrEqual(t, found, 15)
	assert.Len(t, optimtest.All(), found)
}

// byElement reports whether a step updates each element of a parameter independently of the other
// elements.
func byElement(m member) bool {
	o, ok := optimtest.Named(m.name)
	return ok && o.Plain() && !o.Whole
}

// own registers an optimizer that has its own test file, so that the tests for every optimizer
// include it.
func own(m member, options optiontest.Row, cases ...compared) bool {
	members["New"+m.name], ownRows["New"+m.name] = m, options
	for _, c := range cases {
		c.member = m
		comparisons = append(comparisons, c)
	}
	return true
}

var ownRows = map[string]optiontest.Row{}

func TestGroupsInherit(t *testing.T) {
	each(t, func(t *testing.T, m member) {
		if m.name == "Rprop" {
			return // this optimizer has no weight decay
		}
		o := m.fresh(list(param()), optim.LR(0.125), optim.WeightDecay(0.25))
		defer o.Close()
		o.AddParamGroup(list(param()), optim.WeightDecay(0))
		o.AddParamGroup(list(param()), optim.LR(1), optim.LR(0))
		gs := o.ParamGroups()
		require.Len(t, gs, 3)
		assert.Equal(t, 0.125, gs[1].LR())
		assert.Zero(t, gs[1].WeightDecay())
		assert.Zero(t, gs[2].LR(), "the last one counts")
		assert.Equal(t, 0.25, gs[2].WeightDecay())
		gs[0].Set(optim.LR(0.5)) // later groups inherit from the optimizer, not from this group
		o.AddParamGroup(list(param()))
		assert.Equal(t, 0.125, o.ParamGroups()[3].LR())
		zero := [2]float64{}
		none := m.fresh(list(param()), m.zeros...)
		defer none.Close()
		for _, z := range m.zeros {
			name, _ := z.Setting()
			v, _ := none.ParamGroups()[0].Get(name)
			assert.Contains(t, []any{0.0, zero}, v, name)
		}
	})
}

func TestForeignOptions(t *testing.T) {
	scope := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/optim", "github.com/gotorch/gotorch/torch"},
		Decls:   "var ps []*torch.Tensor; var o optim.Optimizer",
	}
	scope.Accepts(t, "optim.NewSGD(ps, optim.LR(0.1), optim.Momentum(0.9))", "optim.NewAdamW(ps, optim.Betas(0, 0))",
		"o.ZeroGrad(optim.SetToNone(false))")
	scope.Rejects(t, "optim.NewSGD(ps, 0.1)", "o.ZeroGrad(false)", "o.AddParamGroup(ps, 0.1)")
	each(t, func(t *testing.T, m member) {
		scope.Rejects(t, m.code)
		o := m.fresh(list(param()))
		defer o.Close()
		before := o.String()
		require.ErrorIs(t, torch.Try(func() { o.AddParamGroup(list(param()), m.foreign) }), torch.ErrValue)
		require.ErrorIs(t, torch.Try(func() { o.AddParamGroup(list(param()), nil) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { o.ParamGroups()[0].Set(optim.LR(7), m.foreign) }), torch.ErrValue)
		assert.Equal(t, before, o.String())
		o.AddParamGroup(list(param()), optim.InitialLR(0))
		lr, ok := o.ParamGroups()[1].InitialLR()
		assert.True(t, ok)
		assert.Zero(t, lr)
	})
}

func TestResumesWhereItWas(t *testing.T) {
	each(t, func(t *testing.T, m member) {
		a, b := param(), param()
		first := m.fresh(list(a), optim.LR(0.1))
		defer first.Close()
		for range 5 {
			first.Step()
		}
		second := m.fresh(list(b), optim.LR(0.3)) // LoadStateDict replaces this learning rate
		defer second.Close()
		b.SetData(a.Detach().Clone())
		live := torch.NumLiveTensors() - int64(len(second.State(b)))
		sd := first.StateDict()
		require.NoError(t, second.LoadStateDict(sd))
		require.NoError(t, sd.Close())
		assert.Equal(t, live+int64(len(second.State(b))), torch.NumLiveTensors())
		assert.Equal(t, first.String(), second.String())
		for range 5 {
			first.Step()
			second.Step()
		}
		assert.Equal(t, a.Float32s(), b.Float32s())
		require.NoError(t, second.LoadStateDict(second.StateDict()))
		assert.Equal(t, first.StateDict().String(), second.StateDict().String())
	})
}

// If a dict cannot be loaded, nothing changes.
func TestLoadingIsAllOrNothing(t *testing.T) {
	each(t, func(t *testing.T, m member) {
		a, b := param(), param()
		o := m.fresh(list(a, b), optim.LR(0.1))
		defer o.Close()
		o.AddParamGroup(list(param()))
		o.Step()
		before := o.StateDict().String()
		closed := param()
		closed.Close()
		live := torch.NumLiveTensors()
		for name, spoil := range map[string]func(sd *optim.StateDict){
			"groups":        func(sd *optim.StateDict) { sd.ParamGroups = sd.ParamGroups[:1] },
			"parameters":    func(sd *optim.StateDict) { sd.ParamGroups[1].Params = []int{2, 3} },
			"value":         func(sd *optim.StateDict) { sd.ParamGroups[1].Settings["lr"] = -1.0 },
			"type":          func(sd *optim.StateDict) { sd.ParamGroups[1].Settings["lr"] = "fast" },
			"missing":       func(sd *optim.StateDict) { delete(sd.ParamGroups[1].Settings, "lr") },
			"no parameter":  func(sd *optim.StateDict) { sd.State[9] = map[string]*torch.Tensor{"step": a} },
			"closed tensor": func(sd *optim.StateDict) { sd.State[2] = map[string]*torch.Tensor{"exp_avg": closed} },
			"nil tensor":    func(sd *optim.StateDict) { sd.State[2] = map[string]*torch.Tensor{"exp_avg": nil} },
		} {
			sd := o.StateDict()
			sd.ParamGroups[0].Settings["lr"] = 0.75
			for _, s := range sd.State[2] {
				s.Close()
			}
			delete(sd.State, 2)
			spoil(sd)
			assert.Error(t, o.LoadStateDict(sd), name)
			delete(sd.State, 9)
			sd.Close()
			assert.Equal(t, live, torch.NumLiveTensors(), name)
			torch.Scope(func() { assert.Equal(t, before, o.StateDict().String(), name) })
		}
		require.ErrorIs(t, o.LoadStateDict(nil), torch.ErrNil)
	})
}

func TestStateOfAnotherShape(t *testing.T) {
	scoped(t, func() {
		a := param()
		o := optim.NewAdam(list(a))
		defer o.Close()
		o.Step()
		for name, wrong := range map[string]*torch.Tensor{
			"exp_avg": torch.Zeros(torch.Shape{3}), "step": torch.Zeros(torch.Shape{2}),
			"momentum_buffer": torch.Zeros(torch.Shape{2}),
		} {
			sd := o.StateDict()
			sd.State[0][name] = wrong
			require.ErrorIs(t, o.LoadStateDict(sd), torch.ErrValue, name)
		}
		assert.InDelta(t, 1, o.State(a)["step"].Item(), 0)
	})
}

// A step with a closed parameter changes nothing, in any group.
func TestClosedParameter(t *testing.T) {
	each(t, func(t *testing.T, m member) {
		if m.name == "Lion" {
			return // the test is for the Step methods of package optim, and Lion has its own
		}
		a, b := param(), param()
		o := m.fresh(list(a), optim.LR(0.1))
		defer o.Close()
		o.AddParamGroup(list(b))
		b.Close()
		require.ErrorIs(t, torch.Try(o.Step), torch.ErrClosed)
		require.ErrorIs(t, torch.Try(func() { o.ZeroGrad() }), torch.ErrClosed)
		assert.Equal(t, []float32{1, 1}, a.Float32s())
		if step := o.State(a)["step"]; step != nil { // Adagrad makes its state in the constructor
			assert.Zero(t, step.Item())
		}
		assert.NotNil(t, a.Grad())
	})
}

// ZeroGrad does not use the state, so it works even if a program closed a part of the
// state.
func TestZeroGradWithClosedState(t *testing.T) {
	scoped(t, func() {
		a := param()
		o := optim.NewAdam(list(a))
		defer o.Close()
		o.Step()
		require.NoError(t, o.State(a)["step"].Close())
		require.ErrorIs(t, torch.Try(o.Step), torch.ErrClosed)
		o.ZeroGrad()
		assert.Nil(t, a.Grad())
	})
}

// A step uses parameters that the program appends to Params, and ignores those that it removes.
func TestOpenParams(t *testing.T) {
	each(t, func(t *testing.T, m member) {
		a, b := param(), param()
		o := m.fresh(list(a), optim.LR(0.1))
		defer o.Close()
		o.Step()
		g := o.ParamGroups()[0]
		g.Params = append(g.Params, b)
		o.Step()
		assert.NotEqual(t, []float32{1, 1}, b.Float32s())
		before := a.Float32s()
		g.Params = list(b)
		o.Step()
		assert.Equal(t, before, a.Float32s())
		assert.Equal(t, []int{0}, o.StateDict().ParamGroups[0].Params)
		if m.name != "Lion" {
			g.Params = list(b, b.MulScalar(2))
			require.ErrorIs(t, torch.Try(o.Step), torch.ErrAutograd)
		}
	})
}
