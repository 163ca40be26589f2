package schedule_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

// groupsOf returns an optimizer with n groups.
func groupsOf(n int) optim.Optimizer {
	var opt optim.Optimizer
	for i := range n {
		w := []*torch.Tensor{torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))}
		if opt == nil {
			opt = optim.NewSGD(w, optim.LR(0.1), optim.Momentum(0.9))
			continue
		}
		opt.AddParamGroup(w, optim.LR(0.1*float64(i+1)))
	}
	opt.Step()
	return opt
}

// groupCases records whether any of eight steps fails in PyTorch 2.11 if the optimizer's
// groups are not the groups that the scheduler was made for. The field added is for a
// group that was added after one step. The field loaded is for the state of a scheduler
// for a different number of groups.
var groupCases = map[string]struct {
	fresh         func(o optim.Optimizer) scheduler
	added, loaded bool
}{
	"LambdaLR": {func(o optim.Optimizer) scheduler { return schedule.NewLambdaLR(o, inverse) }, true, true},
	"LambdaLR/list": {func(o optim.Optimizer) scheduler {
		return schedule.NewLambdaLRList(o, slices.Repeat([]func(int) float64{inverse}, len(o.ParamGroups())))
	}, true, true},
	"MultiplicativeLR": {func(o optim.Optimizer) scheduler {
		return schedule.NewMultiplicativeLR(o, inverse)
	}, true, false},
	"StepLR": {func(o optim.Optimizer) scheduler { return schedule.NewStepLR(o, 1) }, false, false},
	"MultiStepLR": {func(o optim.Optimizer) scheduler {
		return schedule.NewMultiStepLR(o, []int{1, 2})
	}, false, false},
	"ConstantLR":    {func(o optim.Optimizer) scheduler { return schedule.NewConstantLR(o) }, false, false},
	"LinearLR":      {func(o optim.Optimizer) scheduler { return schedule.NewLinearLR(o) }, false, false},
	"ExponentialLR": {func(o optim.Optimizer) scheduler { return schedule.NewExponentialLR(o, 0.9) }, false, false},
	"PolynomialLR":  {func(o optim.Optimizer) scheduler { return schedule.NewPolynomialLR(o) }, false, false},
	"CosineAnnealingLR": {func(o optim.Optimizer) scheduler {
		return schedule.NewCosineAnnealingLR(o, 5)
	}, true, true},
	"CosineAnnealingWarmRestarts": {func(o optim.Optimizer) scheduler {
		return schedule.NewCosineAnnealingWarmRestarts(o, 5)
	}, true, true},
	"CyclicLR": {func(o optim.Optimizer) scheduler { return schedule.NewCyclicLR(o, 0.1, 1) }, true, true},
	"OneCycleLR": {func(o optim.Optimizer) scheduler {
		return schedule.NewOneCycleLR(o, 1, schedule.TotalSteps(10))
	}, true, false},
	"SWALR": {func(o optim.Optimizer) scheduler { return schedule.NewSWALR(o, 0.5) }, true, false},
	"SequentialLR": {func(o optim.Optimizer) scheduler {
		return schedule.NewSequentialLR(o,
			[]scheduler{schedule.NewConstantLR(o), schedule.NewExponentialLR(o, 0.9)}, []int{2})
	}, true, true},
	"SequentialLR/cosine": {func(o optim.Optimizer) scheduler {
		return schedule.NewSequentialLR(o,
			[]scheduler{schedule.NewConstantLR(o), schedule.NewCosineAnnealingLR(o, 5)}, []int{2})
	}, true, true},
	"ChainedScheduler": {func(o optim.Optimizer) scheduler {
		return schedule.NewChainedScheduler([]scheduler{schedule.NewConstantLR(o), schedule.NewExponentialLR(o, 0.9)})
	}, false, false},
	"ReduceLROnPlateau": {func(o optim.Optimizer) scheduler { return schedule.NewReduceLROnPlateau(o) }, false, false},
}

// eightSteps steps a scheduler until a step fails. It checks that a failed step changes nothing.
func eightSteps(t *testing.T, o optim.Optimizer, s scheduler) (err error) {
	for range 8 {
		settings, state := o.String(), s.StateDict()
		if err = torch.Try(func() {
			if _, ok := s.(*schedule.ReduceLROnPlateau); ok {
				s.Step(1)
			} else {
				s.Step()
			}
		}); err != nil {
			assert.Equal(t, settings, o.String(), "a failed step changes nothing")
			assert.Equal(t, state, s.StateDict(), "a failed step changes nothing")
			return err
		}
	}
	return nil
}

// If a scheduler's values for each group do not match the optimizer's groups, its steps
// fail where they fail in Python.
func TestSchedulersOfOtherGroups(t *testing.T) {
	for name, c := range groupCases {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				check := func(what string, isError bool, o optim.Optimizer, s scheduler) {
					err := eightSteps(t, o, s)
					require.Equal(t, isError, err != nil, "%s: %v", what, err)
					if isError {
						require.ErrorIs(t, err, torch.ErrValue, what)
						assert.ErrorContains(t, err, "AddParamGroup", what)
					}
				}
				o := groupsOf(2)
				defer o.Close()
				s := c.fresh(o)
				if _, ok := s.(*schedule.ReduceLROnPlateau); !ok {
					s.Step()
				}
				state := s.StateDict()
				o.AddParamGroup([]*torch.Tensor{torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))}, optim.LR(1))
				check("a group is added", c.added, o, s)
				for _, n := range []int{1, 3} {
					other := groupsOf(n)
					defer other.Close()
					s := c.fresh(other)
					require.NoError(t, s.LoadStateDict(state))
					check("other state", c.loaded, other, s)
				}
			})
		})
	}
	assert.GreaterOrEqual(t, len(slices.Collect(maps.Keys(groupCases))), 18)
}

// If one scheduler of a chain cannot step, none does.
func TestChainsStepTogether(t *testing.T) {
	torch.Scope(func() {
		o := groupsOf(1)
		defer o.Close()
		s := schedule.NewChainedScheduler([]scheduler{
			schedule.NewStepLR(o, 1, schedule.Gamma(0.5)), schedule.NewOneCycleLR(o, 1, schedule.TotalSteps(3)),
		})
		for range 3 {
			s.Step()
		}
		settings, state := o.String(), s.StateDict()
		require.ErrorIs(t, torch.Try(func() { s.Step() }), torch.ErrValue)
		assert.Equal(t, settings, o.String())
		assert.Equal(t, state, s.StateDict())
	})
}

// A step that would set a negative rate changes neither the momentum nor the position in a period.
func TestNegativeRatesChangeNothing(t *testing.T) {
	torch.Scope(func() {
		for name, fresh := range map[string]func(o optim.Optimizer) scheduler{
			"CyclicLR": func(o optim.Optimizer) scheduler {
				return schedule.NewCyclicLR(o, 0.1, 1, schedule.StepSizeUp(4),
					schedule.ScaleFn(func(x float64) float64 { return 3 - x }), schedule.ScaleModeIterations)
			},
			"CosineAnnealingWarmRestarts": func(o optim.Optimizer) scheduler {
				return schedule.NewCosineAnnealingWarmRestarts(o, 6, schedule.EtaMin(-0.5))
			},
		} {
			o := groupsOf(2)
			defer o.Close()
			require.ErrorIs(t, eightSteps(t, o, fresh(o)), torch.ErrValue, name)
		}
		o := groupsOf(1)
		defer o.Close()
		s := schedule.NewCosineAnnealingWarmRestarts(o, 6, schedule.EtaMin(-0.5))
		state := s.StateDict()
		require.ErrorIs(t, torch.Try(func() { s.Step(5) }), torch.ErrValue)
		assert.Equal(t, state, s.StateDict())
	})
}

// An option that would have no effect is an error, and so is an argument that a scheduler
// ignores because it continues from an epoch.
func TestUselessOptions(t *testing.T) {
	torch.Scope(func() {
		o := groupsOf(1)
		defer o.Close()
		up := func(float64) float64 { return 1 }
		cyclic := func(opts ...schedule.CyclicOption) func() {
			return func() { schedule.NewCyclicLR(o, 0.1, 1, opts...) }
		}
		cycle := func(opts ...schedule.OneCycleOption) func() {
			return func() { schedule.NewOneCycleLR(o, 1, opts...) }
		}
		calls := map[string]func(){
			"gamma":                cyclic(schedule.Gamma(0.9)),
			"gamma of triangular2": cyclic(schedule.Gamma(0.9), schedule.CyclicModeTriangular2),
			"gamma of a function":  cyclic(schedule.Gamma(0.9), schedule.ScaleFn(up)),
			"mode of a function":   cyclic(schedule.CyclicModeExpRange, schedule.ScaleFn(up)),
			"scale mode":           cyclic(schedule.ScaleModeIterations),
			"base momentum":        cyclic(schedule.CycleMomentum(false), schedule.BaseMomentum(0.5)),
			"max momenta":          cyclic(schedule.MaxMomentums{0.5}, schedule.CycleMomentum(false)),
			"total and epochs":     cycle(schedule.TotalSteps(9), schedule.Epochs(3)),
			"total and steps":      cycle(schedule.StepsPerEpoch(3), schedule.TotalSteps(9)),
			"cycle's max momentum": cycle(schedule.TotalSteps(9), schedule.CycleMomentum(false),
				schedule.MaxMomentum(0.5)),
		}
		before := o.String()
		for name, call := range calls {
			require.ErrorIs(t, torch.Try(call), torch.ErrValue, name)
			assert.Equal(t, before, o.String(), "%s changes nothing", name)
		}
		schedule.NewOneCycleLR(o, 1, schedule.TotalSteps(9))
		schedule.NewOneCycleLR(o, 1, schedule.TotalSteps(9), schedule.LastEpoch(3))
		for name, call := range map[string]func(){
			"rate":     func() { schedule.NewOneCycleLR(o, 2, schedule.TotalSteps(9), schedule.LastEpoch(3)) },
			"first":    cycle(schedule.TotalSteps(9), schedule.LastEpoch(3), schedule.DivFactor(10)),
			"last":     cycle(schedule.TotalSteps(9), schedule.LastEpoch(3), schedule.FinalDivFactor(10)),
			"momentum": cycle(schedule.TotalSteps(9), schedule.LastEpoch(3), schedule.BaseMomentum(0.1)),
		} {
			require.ErrorIs(t, torch.Try(call), torch.ErrValue, name)
		}
	})
}
