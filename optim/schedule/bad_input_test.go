package schedule_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

func TestRefused(t *testing.T) {
	torch.Scope(func() {
		o := optimizer("")
		defer o.Close()
		param := []*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))}
		rmsprop := optim.NewAdagrad(param)
		defer rmsprop.Close()
		restarts := schedule.NewCosineAnnealingWarmRestarts(o, 4)
		before := fmt.Sprint(o)
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"nil optimizer": {torch.ErrNil, func() { schedule.NewCyclicLR(nil, 0, 1) }},
			"rates":         {torch.ErrValue, func() { schedule.NewCyclicLRList(o, []float64{1}, []float64{1, 2}) }},
			"negative rate": {torch.ErrValue, func() { schedule.NewCyclicLR(o, -1, 2) }},
			"later rate": {torch.ErrValue, func() {
				schedule.NewCyclicLRList(o, []float64{1, math.NaN()}, []float64{2, 2})
			}},
			"no epoch -2": {torch.ErrValue, func() { schedule.NewCyclicLR(o, 1, 2, schedule.LastEpoch(-2)) }},
			"later swa":   {torch.ErrValue, func() { schedule.NewSWALRList(o, []float64{1, -1}) }},
			"swa epoch":   {torch.ErrValue, func() { schedule.NewSWALR(o, 1, schedule.LastEpoch(-2)) }},
			"cycle epoch": {torch.ErrValue, func() {
				schedule.NewOneCycleLR(o, 1, schedule.TotalSteps(5), schedule.LastEpoch(-2))
			}},
			"no momentum":  {torch.ErrValue, func() { schedule.NewCyclicLR(rmsprop, 0, 1) }},
			"mode":         {torch.ErrValue, func() { schedule.NewCyclicLR(o, 0, 1, schedule.CyclicMode("square")) }},
			"scale mode":   {torch.ErrValue, func() { schedule.NewCyclicLR(o, 0, 1, schedule.ScaleMode("step")) }},
			"no function":  {torch.ErrNil, func() { schedule.NewCyclicLR(o, 0, 1, schedule.ScaleFn(nil)) }},
			"no steps":     {torch.ErrValue, func() { schedule.NewCyclicLR(o, 0, 1, schedule.StepSizeUp(0)) }},
			"momenta":      {torch.ErrValue, func() { schedule.NewCyclicLR(o, 0, 1, schedule.MaxMomentums{1}) }},
			"polynomial":   {torch.ErrValue, func() { schedule.NewPolynomialLR(o, schedule.TotalIters(0)) }},
			"lambda":       {torch.ErrNil, func() { schedule.NewMultiplicativeLR(o, nil) }},
			"lambdas":      {torch.ErrValue, func() { schedule.NewMultiplicativeLRList(o, nil) }},
			"max rates":    {torch.ErrValue, func() { schedule.NewOneCycleLRList(o, nil, schedule.TotalSteps(5)) }},
			"min rates":    {torch.ErrValue, func() { schedule.NewReduceLROnPlateau(o, schedule.MinLRs{1}) }},
			"swa epochs":   {torch.ErrValue, func() { schedule.NewSWALR(o, 1, schedule.AnnealEpochs(-1)) }},
			"swa strategy": {torch.ErrValue, func() { schedule.NewSWALR(o, 1, schedule.AnnealStrategy("up")) }},
			"swa rate":     {torch.ErrValue, func() { schedule.NewSWALR(o, math.NaN()) }},
			"swa rates":    {torch.ErrValue, func() { schedule.NewSWALRList(o, nil) }},
			"no chain":     {torch.ErrValue, func() { schedule.NewChainedScheduler(nil) }},
			"nil chain":    {torch.ErrNil, func() { schedule.NewChainedScheduler([]scheduler{nil}) }},
			"typed nil": {torch.ErrNil, func() {
				schedule.NewChainedScheduler([]scheduler{(*schedule.StepLR)(nil)})
			}},
			"plateau": {torch.ErrValue, func() {
				schedule.NewChainedScheduler([]scheduler{schedule.NewReduceLROnPlateau(o)})
			}},
			"two optimizers": {torch.ErrValue, func() {
				schedule.NewChainedScheduler([]scheduler{schedule.NewStepLR(o, 1), schedule.NewStepLR(rmsprop, 1)})
			}},
			"a chain later": {torch.ErrValue, func() {
				schedule.NewSequentialLR(o,
					[]scheduler{
						schedule.NewStepLR(o, 1),
						schedule.NewChainedScheduler([]scheduler{schedule.NewStepLR(o, 1)}),
					}, []int{3})
			}},
			"negative epoch": {torch.ErrValue, func() { restarts.Step(-1) }},
			"no epoch":       {torch.ErrValue, func() { restarts.Step(math.NaN()) }},
			"epochs":         {torch.ErrValue, func() { restarts.Step(1, 2) }},
			"zero":           {torch.ErrNil, func() { new(schedule.ChainedScheduler).Step() }},
		} {
			assert.ErrorIs(t, torch.Try(c.fn), c.kind, name)
			assert.Equal(t, before, fmt.Sprint(o), "%s changes nothing", name)
		}
	})
}

// Numbers that no step can use are rejected, and change nothing.
func TestUselessState(t *testing.T) {
	each(t, func(t *testing.T, name string, fresh func(o optim.Optimizer) scheduler) {
		o := optimizer(name)
		defer o.Close()
		s := fresh(o)
		before := s.StateDict().String()
		for key, bad := range map[string]any{
			"_last_lr": []float64{math.NaN(), 1}, "base_lrs": []float64{-1, 1}, "last_epoch": int64(-2),
			"gamma": math.NaN(), "eta_min": math.NaN(),
		} {
			sd := s.StateDict()
			if _, ok := sd[key]; !ok {
				continue
			}
			sd[key] = bad
			require.ErrorIs(t, s.LoadStateDict(sd), torch.ErrValue, key)
			assert.Equal(t, before, s.StateDict().String())
		}
	})
}

// A list of limits, one for each group, does not apply to groups that are added later.
func TestLimitsOfLaterGroups(t *testing.T) {
	torch.Scope(func() {
		o := optimizer("")
		defer o.Close()
		all := schedule.NewReduceLROnPlateau(o, schedule.MinLR(0.01))
		each := schedule.NewReduceLROnPlateau(o, schedule.MinLRs{0.01, 0.01})
		o.AddParamGroup([]*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))})
		all.Step(1)
		require.ErrorIs(t, torch.Try(func() { each.Step(1) }), torch.ErrValue)
		assert.Zero(t, each.LastEpoch())
		assert.Len(t, all.LastLR(), 3)
		sd := each.StateDict()
		assert.Nil(t, sd["default_min_lr"])
		require.NoError(t, all.LoadStateDict(sd))
		assert.Equal(t, sd, all.StateDict())
	})
}

// Milestones that do not match the schedulers are rejected, even in a chain.
func TestMilestonesOfOtherSequences(t *testing.T) {
	torch.Scope(func() {
		o := optimizer("")
		defer o.Close()
		one := schedule.NewSequentialLR(o,
			[]schedule.Scheduler{schedule.NewConstantLR(o), schedule.NewExponentialLR(o, 0.9)}, []int{2})
		chain := schedule.NewChainedScheduler([]schedule.Scheduler{one})
		for _, bad := range [][]int64{{}, {5, 6}, {5, 1, 1}} {
			sd := one.StateDict()
			sd["_milestones"] = bad
			require.ErrorIs(t, one.LoadStateDict(sd), torch.ErrValue)
			all := chain.StateDict()
			all["_schedulers"].([]schedule.StateDict)[0]["_milestones"] = bad
			require.ErrorIs(t, chain.LoadStateDict(all), torch.ErrValue)
		}
		assert.Equal(t, []int64{2}, one.StateDict()["_milestones"])
		for range 4 {
			chain.Step()
		}
	})
}

// A sequence whose first scheduler is itself a sequence loads its own saved state. In that state,
// the epoch of a scheduler whose turn has not come is -2, because the constructors of both sequences
// undo its first step.
func TestStateOfSequencesInSequences(t *testing.T) {
	torch.Scope(func() {
		type list = []schedule.Scheduler
		fresh := func() (optim.Optimizer, schedule.Scheduler) {
			o := optimizer("")
			inner := schedule.NewSequentialLR(o, list{schedule.NewConstantLR(o), schedule.NewExponentialLR(o, 0.5)},
				[]int{2})
			return o, schedule.NewSequentialLR(o, list{inner, schedule.NewExponentialLR(o, 0.9)}, []int{4})
		}
		o, s := fresh()
		defer o.Close()
		twin, again := fresh()
		defer twin.Close()
		s.Step()
		require.NoError(t, twin.LoadStateDict(o.StateDict()))
		require.NoError(t, again.LoadStateDict(s.StateDict()))
		for range 5 {
			s.Step()
			again.Step()
			assert.Equal(t, s.LastLR(), again.LastLR())
		}
	})
}
