package schedule_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

// course returns the row of a scheduler. Its outcome is the rates and the momentum over some
// epochs. The optimizer has stepped before, so that the scheduler may resume.
func course[O any](fresh func(o optim.Optimizer, opts ...O) scheduler, pairs ...optiontest.Pair) optiontest.Row {
	return optiontest.For(func(opts ...O) optiontest.Outcome {
		var text string
		torch.Scope(func() {
			o := optimizer("")
			defer o.Close()
			fresh(o)
			s := fresh(o, opts...)
			name := ""
			if _, ok := s.(*schedule.ReduceLROnPlateau); ok {
				name = "Reduce"
			}
			step := stepper(name, s)
			for i := range 17 {
				text += fmt.Sprintln(s.LastEpoch(), s.LastLR(), momentum(o))
				if s.LastEpoch() < 19 { // the cycle ends at step 19
					step(i)
				}
			}
		})
		return optiontest.Outcome{"course": text}
	}, pairs...)
}

// Tests each option of each scheduler: alone, after the same option with a different
// value, and together with a nil option.
func TestOptions(t *testing.T) {
	values := optiontest.Values
	last := values(schedule.LastEpoch(2), schedule.LastEpoch(-1))
	gamma := values(schedule.Gamma(0), schedule.Gamma(0.5))
	iters := values(schedule.TotalIters(2), schedule.TotalIters(9))
	lowest := values(schedule.EtaMin(0), schedule.EtaMin(0.01))
	cyclic := []optiontest.Pair{
		last, gamma,
		values(schedule.StepSizeUp(2), schedule.StepSizeUp(4)),
		values(schedule.StepSizeDown(2), schedule.StepSizeDown(4)),
		values(schedule.CyclicModeTriangular2, schedule.CyclicModeExpRange),
		values(schedule.ScaleFn(func(x float64) float64 { return x }), schedule.ScaleFn(func(float64) float64 {
			return 2
		})),
		values(schedule.ScaleModeIterations, schedule.ScaleModeCycle),
		values(schedule.CycleMomentum(false), schedule.CycleMomentum(true)),
		values(schedule.BaseMomentum(0), schedule.BaseMomentum(0.5)),
		values(schedule.BaseMomentums{0, 0}, schedule.BaseMomentums{0.5, 0}),
		values(schedule.MaxMomentum(0), schedule.MaxMomentum(0.95)),
		values(schedule.MaxMomentums{0, 0}, schedule.MaxMomentums{0.95, 0}),
	}
	oneCycles := []optiontest.Pair{
		last,
		values(schedule.TotalSteps(24), schedule.TotalSteps(20)),
		values(schedule.Epochs(8), schedule.Epochs(4)),
		values(schedule.StepsPerEpoch(8), schedule.StepsPerEpoch(5)),
		values(schedule.PctStart(0.5), schedule.PctStart(0.25)),
		values(schedule.AnnealStrategyLinear, schedule.AnnealStrategyCos),
		values(schedule.CycleMomentum(false), schedule.CycleMomentum(true)),
		values(schedule.BaseMomentum(0), schedule.BaseMomentum(0.5)),
		values(schedule.BaseMomentums{0, 0}, schedule.BaseMomentums{0.5, 0}),
		values(schedule.MaxMomentum(0), schedule.MaxMomentum(0.9)),
		values(schedule.MaxMomentums{0, 0}, schedule.MaxMomentums{0.9, 0}),
		values(schedule.DivFactor(10), schedule.DivFactor(25)),
		values(schedule.FinalDivFactor(1), schedule.FinalDivFactor(100)),
		values(schedule.ThreePhase(true), schedule.ThreePhase(false)),
	}
	swa := []optiontest.Pair{
		last, values(schedule.AnnealEpochs(0), schedule.AnnealEpochs(5)),
		values(schedule.AnnealStrategyLinear, schedule.AnnealStrategyCos),
	}
	rows := map[string]optiontest.Row{
		"NewMultiplicativeLR": course(func(o optim.Optimizer, opts ...schedule.EpochOption) scheduler {
			return schedule.NewMultiplicativeLR(o, inverse, opts...)
		}, last),
		"NewMultiplicativeLRList": course(func(o optim.Optimizer, opts ...schedule.EpochOption) scheduler {
			return schedule.NewMultiplicativeLRList(o, []func(int) float64{inverse, inverse}, opts...)
		}, last),
		"NewCyclicLR": course(func(o optim.Optimizer, opts ...schedule.CyclicOption) scheduler {
			return schedule.NewCyclicLR(o, 0.01, 0.1, cycles(opts)...)
		}, cyclic...),
		"NewCyclicLRList": course(func(o optim.Optimizer, opts ...schedule.CyclicOption) scheduler {
			return schedule.NewCyclicLRList(o, []float64{0.01, 0.02}, []float64{0.1, 0.2}, cycles(opts)...)
		}, cyclic...),
		"NewSWALR": course(func(o optim.Optimizer, opts ...schedule.SWALROption) scheduler {
			return schedule.NewSWALR(o, 0.5, opts...)
		}, swa...),
		"NewSWALRList": course(func(o optim.Optimizer, opts ...schedule.SWALROption) scheduler {
			return schedule.NewSWALRList(o, []float64{0.5, 0.25}, opts...)
		}, swa...),
		"NewOneCycleLRList": course(func(o optim.Optimizer, opts ...schedule.OneCycleOption) scheduler {
			return cycling(opts, func(all []schedule.OneCycleOption) scheduler {
				return schedule.NewOneCycleLRList(o, []float64{0.5, 0.25}, all...)
			})
		}, oneCycles...),
		"NewStepLR": course(func(o optim.Optimizer, opts ...schedule.StepLROption) scheduler {
			return schedule.NewStepLR(o, 3, opts...)
		}, last, gamma),
		"NewMultiStepLR": course(func(o optim.Optimizer, opts ...schedule.StepLROption) scheduler {
			return schedule.NewMultiStepLR(o, []int{2, 5}, opts...)
		}, last, gamma),
		"NewExponentialLR": course(func(o optim.Optimizer, opts ...schedule.EpochOption) scheduler {
			return schedule.NewExponentialLR(o, 0.9, opts...)
		}, last),
		"NewLambdaLR": course(func(o optim.Optimizer, opts ...schedule.EpochOption) scheduler {
			return schedule.NewLambdaLR(o, inverse, opts...)
		}, last),
		"NewLambdaLRList": course(func(o optim.Optimizer, opts ...schedule.EpochOption) scheduler {
			return schedule.NewLambdaLRList(o, []func(int) float64{inverse, inverse}, opts...)
		}, last),
		"NewConstantLR": course(func(o optim.Optimizer, opts ...schedule.ConstantLROption) scheduler {
			return schedule.NewConstantLR(o, opts...)
		}, last, iters, values(schedule.Factor(0.25), schedule.Factor(1))),
		"NewLinearLR": course(func(o optim.Optimizer, opts ...schedule.LinearLROption) scheduler {
			return schedule.NewLinearLR(o, opts...)
		}, last, iters, values(schedule.StartFactor(0.5), schedule.StartFactor(0.25)),
			values(schedule.EndFactor(0), schedule.EndFactor(1))),
		"NewCosineAnnealingLR": course(func(o optim.Optimizer, opts ...schedule.CosineAnnealingOption) scheduler {
			return schedule.NewCosineAnnealingLR(o, 7, opts...)
		}, last, lowest),
		"NewCosineAnnealingWarmRestarts": course(func(o optim.Optimizer,
			opts ...schedule.WarmRestartsOption,
		) scheduler {
			return schedule.NewCosineAnnealingWarmRestarts(o, 3, opts...)
		}, last, lowest, values(schedule.TMult(2), schedule.TMult(1))),
		"NewSequentialLR": course(func(o optim.Optimizer, opts ...schedule.SequentialLROption) scheduler {
			parts := []scheduler{schedule.NewConstantLR(o), schedule.NewExponentialLR(o, 0.9)}
			return schedule.NewSequentialLR(o, parts, []int{5}, opts...)
		}, last),
		"NewOneCycleLR": course(oneCycle, oneCycles...),
		"NewReduceLROnPlateau": course(func(o optim.Optimizer, opts ...schedule.PlateauOption) scheduler {
			// With these values of patience and threshold, every option has an effect.
			before := []schedule.PlateauOption{schedule.Patience(1), schedule.Threshold(0.055)}
			return schedule.NewReduceLROnPlateau(o, append(before, opts...)...)
		},
			values(schedule.ModeMax, schedule.ModeMin),
			values(schedule.Factor(0), schedule.Factor(0.5)),
			values(schedule.Patience(0), schedule.Patience(3)),
			values(schedule.Threshold(0), schedule.Threshold(0.5)),
			values(schedule.ThresholdModeAbs, schedule.ThresholdModeRel),
			values(schedule.Cooldown(3), schedule.Cooldown(0)),
			values(schedule.MinLR(0.05), schedule.MinLR(0)),
			values(schedule.MinLRs{0.05, 0}, schedule.MinLRs{0, 0}),
			values(schedule.Eps(1), schedule.Eps(0)),
		),
	}
	maps.Copy(rows, ownRows)
	optiontest.Read(t, ".").Run(t, rows)
}

// cycles returns the options of a CyclicLR with three steps up. It adds the options
// without which opts would have no effect: a ScaleFn for a ScaleMode, and otherwise the
// CyclicMode that uses Gamma.
func cycles(opts []schedule.CyclicOption) []schedule.CyclicOption {
	all := []schedule.CyclicOption{schedule.StepSizeUp(3)}
	mode := schedule.CyclicOption(schedule.CyclicModeExpRange)
	for _, o := range opts {
		switch o.(type) {
		case schedule.ScaleFn:
			mode = nil
		case schedule.ScaleMode:
			mode = schedule.ScaleFn(func(x float64) float64 { return 1 / (1 + x) })
		}
	}
	if mode != nil {
		all = append(all, mode)
	}
	return append(all, opts...)
}

// oneCycle returns a OneCycleLR of 20 steps, which are set by TotalSteps or by Epochs and
// StepsPerEpoch.
func oneCycle(o optim.Optimizer, opts ...schedule.OneCycleOption) scheduler {
	return cycling(opts, func(all []schedule.OneCycleOption) scheduler {
		return schedule.NewOneCycleLR(o, 0.5, all...)
	})
}

func cycling(opts []schedule.OneCycleOption, fresh func(all []schedule.OneCycleOption) scheduler) scheduler {
	steps := []schedule.OneCycleOption{schedule.TotalSteps(20)}
	for _, o := range opts {
		switch o.(type) {
		case schedule.Epochs, schedule.StepsPerEpoch:
			steps = []schedule.OneCycleOption{schedule.Epochs(4), schedule.StepsPerEpoch(5)}
		}
	}
	return fresh(append(steps, opts...))
}
