package schedule_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

// Tests numbers whose products overflow an int64.
func TestLargeNumbers(t *testing.T) {
	torch.Scope(func() {
		o := optim.NewSGD([]*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))}, optim.LR(1),
			optim.Momentum(0.9))
		defer o.Close()
		s := schedule.NewCosineAnnealingWarmRestarts(o, 2, schedule.TMult(1<<62))
		for range 6 {
			s.Step()
		}
		assert.InDelta(t, 1, s.LastLR()[0], 1e-9, "the second period is as good as endless")

		again := schedule.NewCosineAnnealingWarmRestarts(o, 1<<62, schedule.TMult(1<<62), schedule.LastEpoch(1<<62-1))
		again.Step()
		again.Step()

		c := schedule.NewCosineAnnealingLR(o, math.MaxInt64)
		c.Step()
		assert.InDelta(t, 1, c.LastLR()[0], 1e-9)

		for name, fn := range map[string]func(){
			"OneCycleLR": func() {
				schedule.NewOneCycleLR(o, 1, schedule.Epochs(1<<40), schedule.StepsPerEpoch(1<<40))
			},
			"last epoch": func() { schedule.NewStepLR(o, 1, schedule.LastEpoch(math.MaxInt64)) },
		} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrValue, name)
		}
	})
}

// A number that a step divides by is loaded only if it is valid.
func TestLoadedNumbers(t *testing.T) {
	torch.Scope(func() {
		o := optim.NewSGD([]*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))},
			optim.LR(1), optim.Momentum(0.9))
		defer o.Close()
		for name, s := range map[string]schedule.Scheduler{
			"step_size":   schedule.NewStepLR(o, 2),
			"T_max":       schedule.NewCosineAnnealingLR(o, 2),
			"T_i":         schedule.NewCosineAnnealingWarmRestarts(o, 2),
			"T_0":         schedule.NewCosineAnnealingWarmRestarts(o, 2),
			"T_mult":      schedule.NewCosineAnnealingWarmRestarts(o, 2),
			"total_iters": schedule.NewLinearLR(o),
			"total_steps": schedule.NewOneCycleLR(o, 1, schedule.TotalSteps(10)),
		} {
			before := s.String()
			for _, n := range []int64{0, -3} {
				sd := s.StateDict()
				require.Contains(t, sd, name)
				sd[name] = n
				assert.ErrorIs(t, s.LoadStateDict(sd), torch.ErrValue, name)
			}
			sd := s.StateDict()
			sd["last_epoch"] = int64(math.MaxInt64)
			assert.ErrorIs(t, s.LoadStateDict(sd), torch.ErrValue, name)
			assert.Equal(t, before, s.String())
			s.Step()
		}
	})
}

func TestNilOptimizerOfAType(t *testing.T) {
	var o *optim.Adam
	for name, fn := range map[string]func(){
		"StepLR":         func() { schedule.NewStepLR(o, 1) },
		"Plateau":        func() { schedule.NewReduceLROnPlateau(o) },
		"Sequential":     func() { schedule.NewSequentialLR(o, nil, nil) },
		"LambdaList":     func() { schedule.NewLambdaLRList(o, nil) },
		"no constructor": func() { schedule.NewStepLR(new(optim.Adam), 1) },
	} {
		assert.ErrorIs(t, torch.Try(fn), torch.ErrNil, name)
	}
}

// A LinearLR ends at exactly 0, whatever its number of steps. Rounding does not make the rate negative.
func TestLinearLRToZero(t *testing.T) {
	torch.Scope(func() {
		for total := range int64(60) {
			for _, start := range []float64{1, 0.7, 0.5, 1.0 / 3, 0.1} {
				o := optimizer("")
				s := schedule.NewLinearLR(o, schedule.StartFactor(start), schedule.EndFactor(0),
					schedule.TotalIters(total+1))
				for range total + 3 {
					s.Step()
				}
				assert.InDelta(t, 0, s.LastLR()[0], 1e-15, "from %v in %d steps", start, total+1)
				assert.GreaterOrEqual(t, s.LastLR()[0], 0.0)
				assert.NoError(t, o.Close())
			}
		}
	})
}
