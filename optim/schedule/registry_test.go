package schedule_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

// own registers a scheduler that has its own test file, so that the tests for every
// scheduler include it. It takes the scheduler's option row, and its cases from
// make_schedulers.py.
func own(constructor string, options optiontest.Row, cases map[string]func(o optim.Optimizer) scheduler) bool {
	maps.Copy(makers, cases)
	ownRows[constructor] = options
	return true
}

var ownRows = map[string]optiontest.Row{}

func TestEverySchedulerIsTested(t *testing.T) {
	found := optiontest.Constructors(t, ".")
	for _, name := range found {
		assert.Contains(t, makers, strings.TrimSuffix(strings.TrimPrefix(name, "New"), "List"))
	}
	assert.GreaterOrEqual(t, len(found), 21)
}

// each runs a test for every scheduler.
func each(t *testing.T, test func(t *testing.T, name string, fresh func(o optim.Optimizer) scheduler)) {
	for _, name := range slices.Sorted(maps.Keys(makers)) {
		t.Run(name, func(t *testing.T) { torch.Scope(func() { test(t, name, makers[name]) }) })
	}
}

// A scheduler continues from its own state dict and its optimizer's state dict, whatever arguments
// its constructor got.
func TestResume(t *testing.T) {
	each(t, func(t *testing.T, name string, fresh func(o optim.Optimizer) scheduler) {
		o, p := optimizer(name), optimizer(name)
		defer o.Close()
		defer p.Close()
		s := fresh(o)
		step := stepper(name, s)
		for i := range 7 {
			step(i)
		}
		rate(p, 0.7)
		r := fresh(p)
		again := stepper(name, r)
		require.NoError(t, p.LoadStateDict(o.StateDict()))
		require.NoError(t, r.LoadStateDict(s.StateDict()))
		assert.Equal(t, s.String(), r.String())
		for i := range 20 {
			assert.Equal(t, s.LastLR(), r.LastLR(), "step %d", i)
			assert.Equal(t, o.String(), p.String(), "step %d", i)
			step(i + 7)
			again(i + 7)
		}
		assert.Equal(t, s.StateDict(), r.StateDict())
	})
}

// If a state dict cannot be loaded, nothing changes.
func TestLoadingIsAllOrNothing(t *testing.T) {
	each(t, func(t *testing.T, name string, fresh func(o optim.Optimizer) scheduler) {
		o := optimizer(name)
		defer o.Close()
		s := fresh(o)
		before := s.StateDict()
		other := s.StateDict()
		other["last_epoch"] = int64(5)
		for what, spoil := range map[string]func(sd schedule.StateDict){
			"missing": func(sd schedule.StateDict) { delete(sd, "_last_lr") },
			"type":    func(sd schedule.StateDict) { sd["_last_lr"] = "fast" },
			"unknown": func(sd schedule.StateDict) { sd["colour"] = "red" },
		} {
			sd := maps.Clone(other)
			spoil(sd)
			assert.ErrorIs(t, s.LoadStateDict(sd), torch.ErrValue, what)
			assert.Equal(t, before, s.StateDict(), what)
		}
	})
}

// Zero is a valid value.
func TestZerosCount(t *testing.T) {
	torch.Scope(func() {
		for name, c := range map[string]struct {
			fresh func(o optim.Optimizer) scheduler
			want  []float64 // the rates of the first group, which start from 0.1
		}{
			"gamma": {
				func(o optim.Optimizer) scheduler { return schedule.NewStepLR(o, 1, schedule.Gamma(0)) },
				[]float64{0.1, 0, 0},
			},
			"last": {func(o optim.Optimizer) scheduler {
				return schedule.NewStepLR(o, 1, schedule.Gamma(0), schedule.Gamma(0.5))
			}, []float64{0.1, 0.05, 0.025}},
			"milestones": {func(o optim.Optimizer) scheduler {
				return schedule.NewMultiStepLR(o, []int{1}, schedule.Gamma(0))
			}, []float64{0.1, 0, 0}},
			"factor": {func(o optim.Optimizer) scheduler {
				return schedule.NewConstantLR(o, schedule.Factor(0), schedule.TotalIters(2))
			}, []float64{0, 0, 0.1}},
			"end factor": {func(o optim.Optimizer) scheduler {
				return schedule.NewLinearLR(o, schedule.StartFactor(1), schedule.EndFactor(0), schedule.TotalIters(2))
			}, []float64{0.1, 0.05, 0}},
		} {
			o := optimizer("")
			s := c.fresh(o)
			for i, want := range c.want {
				assert.InDelta(t, want, s.LastLR()[0], 1e-15, "%s, epoch %d", name, i)
				s.Step()
			}
			o.Close()
		}
		o := optimizer("")
		defer o.Close()
		s := schedule.NewReduceLROnPlateau(o, schedule.Patience(0), schedule.Factor(0), schedule.Threshold(0),
			schedule.Eps(0))
		s.Step(1)
		s.Step(1)
		assert.Equal(t, []float64{0, 0}, s.LastLR())
	})
}

// LastEpoch resumes at an epoch, with the groups' InitialLR.
func TestLastEpoch(t *testing.T) {
	torch.Scope(func() {
		o, p := optimizer(""), optimizer("")
		defer o.Close()
		defer p.Close()
		s := schedule.NewLambdaLR(o, inverse)
		for range 5 {
			s.Step()
		}
		for _, g := range p.ParamGroups() {
			g.Set(optim.InitialLR(g.LR()))
		}
		r := schedule.NewLambdaLR(p, inverse, schedule.LastEpoch(4))
		assert.Equal(t, s.LastLR(), r.LastLR())
		assert.Equal(t, 5, r.LastEpoch())
	})
}

// A group that is added later is also scheduled.
func TestGroupAddedLater(t *testing.T) {
	torch.Scope(func() {
		o := optimizer("")
		defer o.Close()
		s := schedule.NewCosineAnnealingLR(o, 4)
		s.Step()
		o.AddParamGroup([]*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))}, optim.LR(1))
		s.Step()
		assert.Len(t, s.LastLR(), 3)
	})
}

func TestForeignOptionsDoNotCompile(t *testing.T) {
	scope := compilefail.Scope{
		Imports: []string{"s github.com/gotorch/gotorch/optim/schedule", "github.com/gotorch/gotorch/optim"},
		Decls:   "var o optim.Optimizer",
	}
	scope.Accepts(t, "s.NewStepLR(o, 30, s.Gamma(0.5))",
		"s.NewOneCycleLR(o, 1, s.TotalSteps(30), s.AnnealStrategyLinear)")
	for _, call := range []string{
		"s.NewStepLR(o, 30, 0.5)", "s.NewStepLR(o, 30, s.EtaMin(0))", "s.NewExponentialLR(o, 0.9, s.Gamma(1))",
		"s.NewConstantLR(o, s.StartFactor(1))", "s.NewLinearLR(o, s.Factor(1))",
		"s.NewCosineAnnealingLR(o, 4, s.TMult(2))",
		"s.NewReduceLROnPlateau(o, s.LastEpoch(1))", "s.NewStepLR(o, 30, optim.LR(1))",
	} {
		scope.Rejects(t, call)
	}
}

func ExampleNewReduceLROnPlateau() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewReduceLROnPlateau(opt, schedule.Patience(1), schedule.Factor(0.5))
	for _, loss := range []float64{3, 2, 2, 2, 2} {
		sched.Step(loss)
		fmt.Println(sched.LastLR())
	}
	// Output:
	// [1]
	// [1]
	// [1]
	// [0.5]
	// [0.5]
}
