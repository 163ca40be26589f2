package schedule_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

type scheduler = schedule.Scheduler

func inverse(e int) float64 { return 1 / float64(e+1) }

// rate sets the learning rate of all groups.
func rate(o optim.Optimizer, lr float64) optim.Optimizer {
	for _, g := range o.ParamGroups() {
		g.SetLR(lr)
	}
	return o
}

// makers are the cases of make_schedulers.py, by name.
var makers = map[string]func(o optim.Optimizer) scheduler{
	"StepLR":       func(o optim.Optimizer) scheduler { return schedule.NewStepLR(o, 4) },
	"StepLR/gamma": func(o optim.Optimizer) scheduler { return schedule.NewStepLR(o, 3, schedule.Gamma(0.5)) },
	"MultiStepLR": func(o optim.Optimizer) scheduler {
		return schedule.NewMultiStepLR(o, []int{2, 5, 5, 11}, schedule.Gamma(0.3))
	},
	"ExponentialLR": func(o optim.Optimizer) scheduler { return schedule.NewExponentialLR(o, 0.9) },
	"LambdaLR":      func(o optim.Optimizer) scheduler { return schedule.NewLambdaLR(o, inverse) },
	"LambdaLR/groups": func(o optim.Optimizer) scheduler {
		return schedule.NewLambdaLRList(o, []func(int) float64{
			inverse, func(e int) float64 { return math.Pow(0.5, float64(e)) },
		})
	},
	"LambdaLR/set rate": func(o optim.Optimizer) scheduler {
		return schedule.NewLambdaLR(rate(o, 1e-4), inverse)
	},
	"LambdaLR/second": func(o optim.Optimizer) scheduler {
		schedule.NewStepLR(o, 4)
		// The second scheduler does not start from this rate, but from the InitialLR that the first
		// one set.
		return schedule.NewLambdaLR(rate(o, 1e-4), inverse)
	},
	"ConstantLR": func(o optim.Optimizer) scheduler {
		return schedule.NewConstantLR(o, schedule.Factor(0.25), schedule.TotalIters(6))
	},
	"ConstantLR/defaults": func(o optim.Optimizer) scheduler { return schedule.NewConstantLR(o) },
	"LinearLR": func(o optim.Optimizer) scheduler {
		return schedule.NewLinearLR(o, schedule.StartFactor(0.1), schedule.EndFactor(0.8), schedule.TotalIters(7))
	},
	"LinearLR/defaults": func(o optim.Optimizer) scheduler { return schedule.NewLinearLR(o) },
	"CosineAnnealingLR": func(o optim.Optimizer) scheduler { return schedule.NewCosineAnnealingLR(o, 10) },
	"CosineAnnealingLR/min": func(o optim.Optimizer) scheduler {
		return schedule.NewCosineAnnealingLR(o, 7, schedule.EtaMin(0.001))
	},
	"CosineAnnealingWarmRestarts": func(o optim.Optimizer) scheduler {
		return schedule.NewCosineAnnealingWarmRestarts(o, 3, schedule.TMult(2), schedule.EtaMin(0.002))
	},
	"OneCycleLR": func(o optim.Optimizer) scheduler {
		return schedule.NewOneCycleLR(o, 0.5, schedule.TotalSteps(30))
	},
	"OneCycleLR/linear": func(o optim.Optimizer) scheduler {
		return schedule.NewOneCycleLR(o, 0.5, schedule.Epochs(5), schedule.StepsPerEpoch(6), schedule.PctStart(0.4),
			schedule.AnnealStrategyLinear, schedule.DivFactor(10), schedule.FinalDivFactor(50))
	},
	"OneCycleLR/three": func(o optim.Optimizer) scheduler {
		return schedule.NewOneCycleLR(o, 0.5, schedule.TotalSteps(30), schedule.ThreePhase(true),
			schedule.CycleMomentum(false))
	},
	"SequentialLR": func(o optim.Optimizer) scheduler {
		return schedule.NewSequentialLR(o, []scheduler{
			schedule.NewLinearLR(o, schedule.StartFactor(0.1)), schedule.NewCosineAnnealingLR(o, 20),
		}, []int{5})
	},
	"SequentialLR/repeated": func(o optim.Optimizer) scheduler {
		return schedule.NewSequentialLR(o, []scheduler{
			schedule.NewLinearLR(o, schedule.StartFactor(0.1)), schedule.NewStepLR(o, 2),
			schedule.NewExponentialLR(o, 0.9),
		}, []int{5, 5})
	},
	"SequentialLR/zero": func(o optim.Optimizer) scheduler {
		return schedule.NewSequentialLR(o, []scheduler{
			schedule.NewConstantLR(o), schedule.NewExponentialLR(o, 0.5),
			schedule.NewConstantLR(o, schedule.Factor(0.25)),
		}, []int{0, 2})
	},
	"SequentialLR/four": func(o optim.Optimizer) scheduler {
		return schedule.NewSequentialLR(o, []scheduler{
			schedule.NewCosineAnnealingWarmRestarts(o, 4), schedule.NewMultiStepLR(o, []int{0, 3}, schedule.Gamma(0.5)),
			schedule.NewLambdaLR(o, inverse), schedule.NewCosineAnnealingWarmRestarts(o, 3),
		}, []int{6, 12, 18})
	},
	"MultiplicativeLR": func(o optim.Optimizer) scheduler {
		return schedule.NewMultiplicativeLR(o, func(e int) float64 { return 1 - 0.1/float64(e+1) })
	},
	"MultiplicativeLR/groups": func(o optim.Optimizer) scheduler {
		return schedule.NewMultiplicativeLRList(o, []func(int) float64{inverse, func(int) float64 { return 0.5 }})
	},
	"ChainedScheduler": func(o optim.Optimizer) scheduler {
		return schedule.NewChainedScheduler([]scheduler{
			schedule.NewConstantLR(o, schedule.Factor(0.1), schedule.TotalIters(4)), schedule.NewExponentialLR(o, 0.9),
			schedule.NewCosineAnnealingLR(o, 12),
		})
	},
	"SequentialLR/chained": func(o optim.Optimizer) scheduler {
		return schedule.NewSequentialLR(o, []scheduler{
			schedule.NewChainedScheduler([]scheduler{
				schedule.NewLinearLR(o, schedule.StartFactor(0.1)),
				schedule.NewStepLR(o, 3),
			}),
			schedule.NewPolynomialLR(o, schedule.TotalIters(15), schedule.Power(2)),
			schedule.NewMultiplicativeLR(o, func(int) float64 { return 0.9 }),
		}, []int{6, 20})
	},
	"SequentialLR/nested": func(o optim.Optimizer) scheduler {
		return schedule.NewSequentialLR(o, []scheduler{
			schedule.NewSequentialLR(o,
				[]scheduler{schedule.NewLinearLR(o, schedule.StartFactor(0.1)), schedule.NewStepLR(o, 3)}, []int{4}),
			schedule.NewExponentialLR(o, 0.9),
		}, []int{12})
	},
	"CyclicLR": func(o optim.Optimizer) scheduler {
		return schedule.NewCyclicLR(o, 0.01, 0.1, schedule.StepSizeUp(4))
	},
	"CyclicLR/two": func(o optim.Optimizer) scheduler {
		return schedule.NewCyclicLR(o, 0.01, 0.1, schedule.StepSizeUp(3), schedule.StepSizeDown(5),
			schedule.CyclicModeTriangular2,
			schedule.BaseMomentum(0.7), schedule.MaxMomentum(0.95))
	},
	"CyclicLR/linear range": func(o optim.Optimizer) scheduler {
		return schedule.NewCyclicLRList(o, []float64{0.01, 0.02}, []float64{0.1, 0.3}, schedule.StepSizeUp(3),
			schedule.StepSizeDown(2),
			schedule.CyclicModeExpRange, schedule.Gamma(0.97), schedule.BaseMomentums{0.7, 0.6},
			schedule.MaxMomentums{0.9, 0.8})
	},
	"CyclicLR/own": func(o optim.Optimizer) scheduler {
		return schedule.NewCyclicLR(o, 0.01, 0.1, schedule.StepSizeUp(4), schedule.CycleMomentum(false),
			schedule.ScaleModeIterations,
			schedule.ScaleFn(func(x float64) float64 { return 1 / native.Pow(5, x*0.0001) }))
	},
	"CyclicLR/cycles": func(o optim.Optimizer) scheduler {
		return schedule.NewCyclicLR(o, 0.01, 0.1, schedule.StepSizeUp(4), schedule.CycleMomentum(false),
			schedule.ScaleFn(func(x float64) float64 { return 0.5 + 1/x }))
	},
	"OneCycleLR/groups": func(o optim.Optimizer) scheduler {
		return schedule.NewOneCycleLRList(o, []float64{0.5, 0.2}, schedule.TotalSteps(30),
			schedule.BaseMomentums{0.8, 0.7}, schedule.MaxMomentums{0.9, 0.95})
	},
	"ReduceLROnPlateau/groups": func(o optim.Optimizer) scheduler {
		return schedule.NewReduceLROnPlateau(o, schedule.Patience(0), schedule.Factor(0.5), schedule.MinLRs{0.02, 0.01})
	},
	"SWALR": func(o optim.Optimizer) scheduler { return schedule.NewSWALR(o, 0.02) },
	"SWALR/groups": func(o optim.Optimizer) scheduler {
		return schedule.NewSWALRList(o, []float64{0.02, 0.2}, schedule.AnnealEpochs(7), schedule.AnnealStrategyLinear)
	},
	"SWALR/at once": func(o optim.Optimizer) scheduler {
		return schedule.NewSWALR(o, 0.02, schedule.AnnealEpochs(0))
	},
	"SequentialLR/swa": func(o optim.Optimizer) scheduler {
		return schedule.NewSequentialLR(o, []scheduler{
			schedule.NewCosineAnnealingLR(o, 20), schedule.NewSWALR(o, 0.02, schedule.AnnealEpochs(6)),
		}, []int{10})
	},
	"CosineAnnealingWarmRestarts/epochs": func(o optim.Optimizer) scheduler {
		return schedule.NewCosineAnnealingWarmRestarts(o, 4, schedule.TMult(2))
	},
	"CosineAnnealingWarmRestarts/equal epochs": func(o optim.Optimizer) scheduler {
		return schedule.NewCosineAnnealingWarmRestarts(o, 4)
	},
	"ReduceLROnPlateau": func(o optim.Optimizer) scheduler {
		return schedule.NewReduceLROnPlateau(o, schedule.Patience(2), schedule.Factor(0.5), schedule.Cooldown(1),
			schedule.MinLR(0.01))
	},
	"ReduceLROnPlateau/max": func(o optim.Optimizer) scheduler {
		return schedule.NewReduceLROnPlateau(o, schedule.ModeMax, schedule.Patience(0), schedule.Threshold(0.02),
			schedule.ThresholdModeAbs)
	},
	"ReduceLROnPlateau/any": func(o optim.Optimizer) scheduler {
		return schedule.NewReduceLROnPlateau(o, schedule.Patience(1), schedule.Threshold(0))
	},
}

// optimizer returns an optimizer with two groups of one parameter each.
func optimizer(name string) optim.Optimizer {
	var o optim.Optimizer
	a := []*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))}
	if strings.Contains(name, "linear") {
		o = optim.NewAdamW(a, optim.LR(0.1))
	} else {
		o = optim.NewSGD(a, optim.LR(0.1))
	}
	o.AddParamGroup([]*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))}, optim.LR(0.05))
	return o
}

// momentum returns the first group's momentum, or its beta1.
func momentum(o optim.Optimizer) float64 {
	g := o.ParamGroups()[0]
	if _, ok := g.Get("betas"); ok {
		m, _ := g.Betas()
		return m
	}
	return g.Momentum()
}

// stepper returns a function that calls Step for step i, with the metric that the scheduler needs,
// if any.
func stepper(name string, s scheduler) func(i int) {
	metrics := []float64{1, 0.9, 0.9, 0.9, 0.9, 0.85, 0.86, 0.9, 0.9, 0.84, 0.9, 0.9, 0.9, 0.9, 0.9, 0.2, 0.3}
	switch {
	case strings.HasSuffix(name, "any"):
		return func(i int) { s.Step(1 - 1e-6*float64(i/2)) }
	case strings.HasSuffix(name, "epochs"):
		return func(i int) { s.Step(float64(i+1) * 0.75) }
	case strings.HasPrefix(name, "Reduce"):
		return func(i int) { s.Step(metrics[i%len(metrics)]) }
	}
	return func(int) { s.Step() }
}

func TestAgainstPython(t *testing.T) {
	data, err := os.ReadFile("testdata/schedulers.json")
	require.NoError(t, err)
	var cases map[string][][]float64
	require.NoError(t, json.Unmarshal(data, &cases))
	require.Len(t, cases, len(makers))
	for name, rows := range cases {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				o := optimizer(name)
				defer o.Close()
				s := makers[name](o)
				step := stepper(name, s)
				for i, want := range rows {
					assert.Equal(t, want[:2], s.LastLR(), "step %d", i)
					assert.Equal(t, want[0], o.ParamGroups()[0].LR(), "step %d", i)
					assert.Equal(t, want[2], momentum(o), "momentum in step %d", i)
					if !strings.HasSuffix(name, "epochs") {
						assert.Equal(t, i, s.LastEpoch())
					}
					step(i)
				}
			})
		})
	}
}

// Schedulers start from the rate that a group had when the first scheduler was made. That rate is
// saved and restored, and may be 0.
func TestInitialLR(t *testing.T) {
	torch.Scope(func() {
		o, other := optimizer(""), optimizer("")
		defer o.Close()
		defer other.Close()
		half := func(int) float64 { return 0.5 }
		g := o.ParamGroups()[0]
		_, ok := g.InitialLR()
		assert.False(t, ok)
		rate(o, 1e-4)
		s := schedule.NewLambdaLR(o, half)
		assert.Equal(t, 0.5e-4, g.LR())
		initial, ok := g.InitialLR()
		assert.True(t, ok)
		assert.Equal(t, 1e-4, initial)

		// No scheduler was made for the optimizer other, so its state dict has no InitialLR.
		require.NoError(t, o.LoadStateDict(other.StateDict()))
		s.Step()
		assert.Equal(t, 0.5e-4, g.LR(), "a running scheduler goes on")

		require.NoError(t, other.LoadStateDict(o.StateDict()))
		schedule.NewLambdaLR(other, half)
		assert.Equal(t, 0.5e-4, other.ParamGroups()[0].LR())

		zero := optimizer("")
		defer zero.Close()
		rate(zero, 0)
		schedule.NewLambdaLR(zero, half)
		rate(zero, 1)
		schedule.NewLambdaLR(zero, half)
		assert.Zero(t, zero.ParamGroups()[0].LR(), "it began at 0")
	})
}

func TestBadInput(t *testing.T) {
	torch.Scope(func() {
		o := optimizer("")
		defer o.Close()
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"nil optimizer": {torch.ErrNil, func() { schedule.NewStepLR(nil, 1) }},
			"no steps":      {torch.ErrValue, func() { schedule.NewStepLR(o, 0) }},
			"nil option":    {torch.ErrNil, func() { schedule.NewStepLR(o, 1, nil) }},
			"lookalike":     {torch.ErrValue, func() { schedule.NewStepLR(o, 1, struct{ schedule.Gamma }{0.5}) }},
			"wrong before right": {torch.ErrValue, func() {
				schedule.NewOneCycleLR(o, 1, schedule.TotalSteps(0), schedule.TotalSteps(10))
			}},
			"no functions": {torch.ErrValue, func() { schedule.NewLambdaLRList(o, nil) }},
			"nil function": {torch.ErrNil, func() { schedule.NewLambdaLR(o, nil) }},
			"T_max":        {torch.ErrValue, func() { schedule.NewCosineAnnealingLR(o, 0) }},
			"factor":       {torch.ErrValue, func() { schedule.NewLinearLR(o, schedule.StartFactor(0)) }},
			"milestones":   {torch.ErrValue, func() { schedule.NewSequentialLR(o, nil, nil) }},
			"no total":     {torch.ErrValue, func() { schedule.NewOneCycleLR(o, 1) }},
			"one step": {torch.ErrValue, func() {
				schedule.NewOneCycleLR(o, 1, schedule.TotalSteps(10), schedule.PctStart(0.1))
			}},
			"pct start": {torch.ErrValue, func() {
				schedule.NewOneCycleLR(o, 1, schedule.TotalSteps(10), schedule.PctStart(1.5))
			}},
			"strategy": {torch.ErrValue, func() {
				schedule.NewOneCycleLR(o, 1, schedule.TotalSteps(10), schedule.AnnealStrategy("flat"))
			}},
			"plateau": {torch.ErrValue, func() { schedule.NewReduceLROnPlateau(o, schedule.Factor(2)) }},
			"mode":    {torch.ErrValue, func() { schedule.NewReduceLROnPlateau(o, schedule.Mode("mean")) }},
			"plateau of several": {torch.ErrValue, func() {
				schedule.NewSequentialLR(o, []scheduler{schedule.NewReduceLROnPlateau(o)}, nil)
			}},
			"another's": {torch.ErrValue, func() {
				p := optimizer("")
				defer p.Close()
				schedule.NewSequentialLR(o, []scheduler{schedule.NewStepLR(p, 1)}, nil)
			}},
			"no metric":     {torch.ErrValue, func() { schedule.NewReduceLROnPlateau(o).Step() }},
			"a metric":      {torch.ErrValue, func() { schedule.NewStepLR(o, 1).Step(1) }},
			"negative rate": {torch.ErrValue, func() { schedule.NewLambdaLR(o, func(int) float64 { return -1 }) }},
			"nothing to resume": {torch.ErrValue, func() {
				p := optimizer("")
				defer p.Close()
				schedule.NewStepLR(p, 1, schedule.LastEpoch(3))
			}},
		} {
			err := torch.Try(c.fn)
			if assert.Error(t, err, name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", name, err)
			}
		}
	})
}

func ExampleNewCosineAnnealingLR() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := schedule.NewCosineAnnealingLR(opt, 4)
	for range 4 {
		sched.Step()
		fmt.Printf("%.3f\n", sched.LastLR()[0])
	}
	fmt.Println(sched)
	// Output:
	// 0.854
	// 0.500
	// 0.146
	// 0.000
	// CosineAnnealingLR(T_max=4, eta_min=0.0, base_lrs=[1.0], last_epoch=4)
}

// Floats, and dicts in a list, are printed as in Python.
func TestStateDictPrintsAsPythonDoes(t *testing.T) {
	sd := schedule.StateDict{
		"base_lrs": []float64{1, 1e-5}, "gamma": 1.0, "milestones": []int64{2, 3}, "verbose": false, "mode": "min",
		"_schedulers": []schedule.StateDict{{"gamma": 0.1, "last_epoch": int64(2)}},
	}
	assert.Equal(t, "{'_schedulers': [{'gamma': 0.1, 'last_epoch': 2}], 'base_lrs': [1.0, 1e-05], 'gamma': 1.0,"+
		" 'milestones': [2, 3], 'mode': 'min', 'verbose': False}", sd.String())
}
