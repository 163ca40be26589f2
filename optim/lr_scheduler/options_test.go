package lr_scheduler_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/lr_scheduler"
	"github.com/gotorch/gotorch/torch"
)

// course is the row of a scheduler: what the rates and the momentum are in the
// course of some epochs. The optimizer has run before, so that it can go on.
func course[O any](fresh func(o optim.Optimizer, opts ...O) scheduler, pairs ...optiontest.Pair) optiontest.Row {
	return optiontest.For(func(opts ...O) optiontest.Outcome {
		var text string
		torch.Scope(func() {
			o := optimizer("")
			defer o.Close()
			fresh(o)
			s := fresh(o, opts...)
			name := ""
			if _, ok := s.(*lr_scheduler.ReduceLROnPlateau); ok {
				name = "Reduce"
			}
			step := stepper(name, s)
			for i := range 17 {
				text += fmt.Sprintln(s.LastEpoch(), s.LastLR(), momentum(o))
				if s.LastEpoch() < 19 { // a cycle has an end
					step(i)
				}
			}
		})
		return optiontest.Outcome{"course": text}
	}, pairs...)
}

// Each option of each scheduler alone, after another value, and beside a nil one.
func TestOptions(t *testing.T) {
	values := optiontest.Values
	last := values(lr_scheduler.LastEpoch(2), lr_scheduler.LastEpoch(-1))
	gamma := values(lr_scheduler.Gamma(0), lr_scheduler.Gamma(0.5))
	iters := values(lr_scheduler.TotalIters(2), lr_scheduler.TotalIters(9))
	lowest := values(lr_scheduler.EtaMin(0), lr_scheduler.EtaMin(0.01))
	cyclic := []optiontest.Pair{
		last, gamma,
		values(lr_scheduler.StepSizeUp(2), lr_scheduler.StepSizeUp(4)), values(lr_scheduler.StepSizeDown(2), lr_scheduler.StepSizeDown(4)),
		values(lr_scheduler.CyclicModeTriangular2, lr_scheduler.CyclicModeExpRange),
		values(lr_scheduler.ScaleFn(func(x float64) float64 { return x }), lr_scheduler.ScaleFn(func(float64) float64 { return 2 })),
		values(lr_scheduler.ScaleModeIterations, lr_scheduler.ScaleModeCycle).Hides("course", "it is for a function"),
		values(lr_scheduler.CycleMomentum(false), lr_scheduler.CycleMomentum(true)),
		values(lr_scheduler.BaseMomentum(0), lr_scheduler.BaseMomentum(0.5)),
		values(lr_scheduler.BaseMomentums{0, 0}, lr_scheduler.BaseMomentums{0.5, 0}),
		values(lr_scheduler.MaxMomentum(0), lr_scheduler.MaxMomentum(0.95)),
		values(lr_scheduler.MaxMomentums{0, 0}, lr_scheduler.MaxMomentums{0.95, 0}),
	}
	oneCycles := []optiontest.Pair{
		last,
		values(lr_scheduler.TotalSteps(24), lr_scheduler.TotalSteps(20)),
		values(lr_scheduler.Epochs(8), lr_scheduler.Epochs(4)),
		values(lr_scheduler.StepsPerEpoch(8), lr_scheduler.StepsPerEpoch(5)),
		values(lr_scheduler.PctStart(0.5), lr_scheduler.PctStart(0.25)),
		values(lr_scheduler.AnnealStrategyLinear, lr_scheduler.AnnealStrategyCos),
		values(lr_scheduler.CycleMomentum(false), lr_scheduler.CycleMomentum(true)),
		values(lr_scheduler.BaseMomentum(0), lr_scheduler.BaseMomentum(0.5)),
		values(lr_scheduler.BaseMomentums{0, 0}, lr_scheduler.BaseMomentums{0.5, 0}),
		values(lr_scheduler.MaxMomentum(0), lr_scheduler.MaxMomentum(0.9)),
		values(lr_scheduler.MaxMomentums{0, 0}, lr_scheduler.MaxMomentums{0.9, 0}),
		values(lr_scheduler.DivFactor(10), lr_scheduler.DivFactor(25)),
		values(lr_scheduler.FinalDivFactor(1), lr_scheduler.FinalDivFactor(100)),
		values(lr_scheduler.ThreePhase(true), lr_scheduler.ThreePhase(false)),
	}
	exponential := []lr_scheduler.CyclicOption{lr_scheduler.CyclicModeExpRange, lr_scheduler.StepSizeUp(3)}
	swa := []optiontest.Pair{
		last, values(lr_scheduler.AnnealEpochs(0), lr_scheduler.AnnealEpochs(5)), values(lr_scheduler.AnnealStrategyLinear, lr_scheduler.AnnealStrategyCos),
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"NewMultiplicativeLR": course(func(o optim.Optimizer, opts ...lr_scheduler.EpochOption) scheduler {
			return lr_scheduler.NewMultiplicativeLR(o, inverse, opts...)
		}, last),
		"NewMultiplicativeLRList": course(func(o optim.Optimizer, opts ...lr_scheduler.EpochOption) scheduler {
			return lr_scheduler.NewMultiplicativeLRList(o, []func(int64) float64{inverse, inverse}, opts...)
		}, last),
		"NewPolynomialLR": course(func(o optim.Optimizer, opts ...lr_scheduler.PolynomialOption) scheduler {
			return lr_scheduler.NewPolynomialLR(o, opts...)
		}, last, iters, values(lr_scheduler.Power(0), lr_scheduler.Power(2))),
		"NewCyclicLR": course(func(o optim.Optimizer, opts ...lr_scheduler.CyclicOption) scheduler {
			return lr_scheduler.NewCyclicLR(o, 0.01, 0.1, append(slices.Clip(exponential), opts...)...)
		}, cyclic...),
		"NewCyclicLRList": course(func(o optim.Optimizer, opts ...lr_scheduler.CyclicOption) scheduler {
			return lr_scheduler.NewCyclicLRList(o, []float64{0.01, 0.02}, []float64{0.1, 0.2}, append(slices.Clip(exponential), opts...)...)
		}, cyclic...),
		"NewSWALR": course(func(o optim.Optimizer, opts ...lr_scheduler.SWALROption) scheduler {
			return lr_scheduler.NewSWALR(o, 0.5, opts...)
		}, swa...),
		"NewSWALRList": course(func(o optim.Optimizer, opts ...lr_scheduler.SWALROption) scheduler {
			return lr_scheduler.NewSWALRList(o, []float64{0.5, 0.25}, opts...)
		}, swa...),
		"NewOneCycleLRList": course(func(o optim.Optimizer, opts ...lr_scheduler.OneCycleOption) scheduler {
			return cycling(opts, func(all []lr_scheduler.OneCycleOption) scheduler {
				return lr_scheduler.NewOneCycleLRList(o, []float64{0.5, 0.25}, all...)
			})
		}, oneCycles...),
		"NewStepLR": course(func(o optim.Optimizer, opts ...lr_scheduler.StepLROption) scheduler {
			return lr_scheduler.NewStepLR(o, 3, opts...)
		}, last, gamma),
		"NewMultiStepLR": course(func(o optim.Optimizer, opts ...lr_scheduler.StepLROption) scheduler {
			return lr_scheduler.NewMultiStepLR(o, []int64{2, 5}, opts...)
		}, last, gamma),
		"NewExponentialLR": course(func(o optim.Optimizer, opts ...lr_scheduler.EpochOption) scheduler {
			return lr_scheduler.NewExponentialLR(o, 0.9, opts...)
		}, last),
		"NewLambdaLR": course(func(o optim.Optimizer, opts ...lr_scheduler.EpochOption) scheduler {
			return lr_scheduler.NewLambdaLR(o, inverse, opts...)
		}, last),
		"NewLambdaLRList": course(func(o optim.Optimizer, opts ...lr_scheduler.EpochOption) scheduler {
			return lr_scheduler.NewLambdaLRList(o, []func(int64) float64{inverse, inverse}, opts...)
		}, last),
		"NewConstantLR": course(func(o optim.Optimizer, opts ...lr_scheduler.ConstantLROption) scheduler {
			return lr_scheduler.NewConstantLR(o, opts...)
		}, last, iters, values(lr_scheduler.Factor(0.25), lr_scheduler.Factor(1))),
		"NewLinearLR": course(func(o optim.Optimizer, opts ...lr_scheduler.LinearLROption) scheduler {
			return lr_scheduler.NewLinearLR(o, opts...)
		}, last, iters, values(lr_scheduler.StartFactor(0.5), lr_scheduler.StartFactor(0.25)), values(lr_scheduler.EndFactor(0), lr_scheduler.EndFactor(1))),
		"NewCosineAnnealingLR": course(func(o optim.Optimizer, opts ...lr_scheduler.CosineAnnealingOption) scheduler {
			return lr_scheduler.NewCosineAnnealingLR(o, 7, opts...)
		}, last, lowest),
		"NewCosineAnnealingWarmRestarts": course(func(o optim.Optimizer, opts ...lr_scheduler.WarmRestartsOption) scheduler {
			return lr_scheduler.NewCosineAnnealingWarmRestarts(o, 3, opts...)
		}, last, lowest, values(lr_scheduler.TMult(2), lr_scheduler.TMult(1))),
		"NewSequentialLR": course(func(o optim.Optimizer, opts ...lr_scheduler.SequentialLROption) scheduler {
			parts := []scheduler{lr_scheduler.NewConstantLR(o), lr_scheduler.NewExponentialLR(o, 0.9)}
			return lr_scheduler.NewSequentialLR(o, parts, []int64{5}, opts...)
		}, last),
		"NewOneCycleLR": course(oneCycle, oneCycles...),
		"NewReduceLROnPlateau": course(func(o optim.Optimizer, opts ...lr_scheduler.PlateauOption) scheduler {
			// So little patience and such a threshold that every option matters.
			before := []lr_scheduler.PlateauOption{lr_scheduler.Patience(1), lr_scheduler.Threshold(0.055)}
			return lr_scheduler.NewReduceLROnPlateau(o, append(before, opts...)...)
		},
			values(lr_scheduler.ModeMax, lr_scheduler.ModeMin),
			values(lr_scheduler.Factor(0), lr_scheduler.Factor(0.5)),
			values(lr_scheduler.Patience(0), lr_scheduler.Patience(3)),
			values(lr_scheduler.Threshold(0), lr_scheduler.Threshold(0.5)),
			values(lr_scheduler.ThresholdModeAbs, lr_scheduler.ThresholdModeRel),
			values(lr_scheduler.Cooldown(3), lr_scheduler.Cooldown(0)),
			values(lr_scheduler.MinLR(0.05), lr_scheduler.MinLR(0)),
			values(lr_scheduler.MinLRs{0.05, 0}, lr_scheduler.MinLRs{0, 0}),
			values(lr_scheduler.Eps(1), lr_scheduler.Eps(0)),
		),
	})
}

// oneCycle makes a cycle of 20 steps, said in one of the two ways.
func oneCycle(o optim.Optimizer, opts ...lr_scheduler.OneCycleOption) scheduler {
	return cycling(opts, func(all []lr_scheduler.OneCycleOption) scheduler { return lr_scheduler.NewOneCycleLR(o, 0.5, all...) })
}

func cycling(opts []lr_scheduler.OneCycleOption, fresh func(all []lr_scheduler.OneCycleOption) scheduler) scheduler {
	steps := []lr_scheduler.OneCycleOption{lr_scheduler.TotalSteps(20)}
	for _, o := range opts {
		switch o.(type) {
		case lr_scheduler.Epochs, lr_scheduler.StepsPerEpoch:
			steps = []lr_scheduler.OneCycleOption{lr_scheduler.Epochs(4), lr_scheduler.StepsPerEpoch(5)}
		}
	}
	return fresh(append(steps, opts...))
}
