package lr_scheduler_test

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
	"github.com/gotorch/gotorch/optim/lr_scheduler"
	"github.com/gotorch/gotorch/torch"
)

type scheduler = lr_scheduler.Scheduler

func inverse(e int64) float64 { return 1 / float64(e+1) }

// rate sets the learning rate of all groups.
func rate(o optim.Optimizer, lr float64) optim.Optimizer {
	for _, g := range o.ParamGroups() {
		g.SetLR(lr)
	}
	return o
}

// makers are the cases of make_schedulers.py.
var makers = map[string]func(o optim.Optimizer) scheduler{
	"StepLR":       func(o optim.Optimizer) scheduler { return lr_scheduler.NewStepLR(o, 4) },
	"StepLR/gamma": func(o optim.Optimizer) scheduler { return lr_scheduler.NewStepLR(o, 3, lr_scheduler.Gamma(0.5)) },
	"MultiStepLR": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewMultiStepLR(o, []int64{2, 5, 5, 11}, lr_scheduler.Gamma(0.3))
	},
	"ExponentialLR": func(o optim.Optimizer) scheduler { return lr_scheduler.NewExponentialLR(o, 0.9) },
	"LambdaLR":      func(o optim.Optimizer) scheduler { return lr_scheduler.NewLambdaLR(o, inverse) },
	"LambdaLR/groups": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewLambdaLRList(o, []func(int64) float64{
			inverse, func(e int64) float64 { return math.Pow(0.5, float64(e)) },
		})
	},
	"LambdaLR/set rate": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewLambdaLR(rate(o, 1e-4), inverse)
	},
	"LambdaLR/second": func(o optim.Optimizer) scheduler {
		lr_scheduler.NewStepLR(o, 4)
		// is not what the second one starts from
		return lr_scheduler.NewLambdaLR(rate(o, 1e-4), inverse)
	},
	"ConstantLR": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewConstantLR(o, lr_scheduler.Factor(0.25), lr_scheduler.TotalIters(6))
	},
	"ConstantLR/defaults": func(o optim.Optimizer) scheduler { return lr_scheduler.NewConstantLR(o) },
	"LinearLR": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewLinearLR(o, lr_scheduler.StartFactor(0.1), lr_scheduler.EndFactor(0.8), lr_scheduler.TotalIters(7))
	},
	"LinearLR/defaults": func(o optim.Optimizer) scheduler { return lr_scheduler.NewLinearLR(o) },
	"CosineAnnealingLR": func(o optim.Optimizer) scheduler { return lr_scheduler.NewCosineAnnealingLR(o, 10) },
	"CosineAnnealingLR/min": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewCosineAnnealingLR(o, 7, lr_scheduler.EtaMin(0.001))
	},
	"CosineAnnealingWarmRestarts": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewCosineAnnealingWarmRestarts(o, 3, lr_scheduler.TMult(2), lr_scheduler.EtaMin(0.002))
	},
	"OneCycleLR": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewOneCycleLR(o, 0.5, lr_scheduler.TotalSteps(30))
	},
	"OneCycleLR/linear": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewOneCycleLR(o, 0.5, lr_scheduler.Epochs(5), lr_scheduler.StepsPerEpoch(6), lr_scheduler.PctStart(0.4),
			lr_scheduler.AnnealStrategyLinear, lr_scheduler.DivFactor(10), lr_scheduler.FinalDivFactor(50))
	},
	"OneCycleLR/three": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewOneCycleLR(o, 0.5, lr_scheduler.TotalSteps(30), lr_scheduler.ThreePhase(true), lr_scheduler.CycleMomentum(false))
	},
	"SequentialLR": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewSequentialLR(o, []scheduler{
			lr_scheduler.NewLinearLR(o, lr_scheduler.StartFactor(0.1)), lr_scheduler.NewCosineAnnealingLR(o, 20),
		}, []int64{5})
	},
	"SequentialLR/repeated": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewSequentialLR(o, []scheduler{
			lr_scheduler.NewLinearLR(o, lr_scheduler.StartFactor(0.1)), lr_scheduler.NewStepLR(o, 2), lr_scheduler.NewExponentialLR(o, 0.9),
		}, []int64{5, 5})
	},
	"SequentialLR/zero": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewSequentialLR(o, []scheduler{
			lr_scheduler.NewConstantLR(o), lr_scheduler.NewExponentialLR(o, 0.5), lr_scheduler.NewConstantLR(o, lr_scheduler.Factor(0.25)),
		}, []int64{0, 2})
	},
	"SequentialLR/four": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewSequentialLR(o, []scheduler{
			lr_scheduler.NewCosineAnnealingWarmRestarts(o, 4), lr_scheduler.NewMultiStepLR(o, []int64{0, 3}, lr_scheduler.Gamma(0.5)),
			lr_scheduler.NewLambdaLR(o, inverse), lr_scheduler.NewCosineAnnealingWarmRestarts(o, 3),
		}, []int64{6, 12, 18})
	},
	"MultiplicativeLR": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewMultiplicativeLR(o, func(e int64) float64 { return 1 - 0.1/float64(e+1) })
	},
	"MultiplicativeLR/groups": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewMultiplicativeLRList(o, []func(int64) float64{inverse, func(int64) float64 { return 0.5 }})
	},
	"PolynomialLR": func(o optim.Optimizer) scheduler { return lr_scheduler.NewPolynomialLR(o) },
	"PolynomialLR/power": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewPolynomialLR(o, lr_scheduler.TotalIters(20), lr_scheduler.Power(0.9))
	},
	"ChainedScheduler": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewChainedScheduler([]scheduler{
			lr_scheduler.NewConstantLR(o, lr_scheduler.Factor(0.1), lr_scheduler.TotalIters(4)), lr_scheduler.NewExponentialLR(o, 0.9),
			lr_scheduler.NewCosineAnnealingLR(o, 12),
		})
	},
	"SequentialLR/chained": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewSequentialLR(o, []scheduler{
			lr_scheduler.NewChainedScheduler([]scheduler{lr_scheduler.NewLinearLR(o, lr_scheduler.StartFactor(0.1)), lr_scheduler.NewStepLR(o, 3)}),
			lr_scheduler.NewPolynomialLR(o, lr_scheduler.TotalIters(15), lr_scheduler.Power(2)),
			lr_scheduler.NewMultiplicativeLR(o, func(int64) float64 { return 0.9 }),
		}, []int64{6, 20})
	},
	"SequentialLR/nested": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewSequentialLR(o, []scheduler{
			lr_scheduler.NewSequentialLR(o, []scheduler{lr_scheduler.NewLinearLR(o, lr_scheduler.StartFactor(0.1)), lr_scheduler.NewStepLR(o, 3)}, []int64{4}),
			lr_scheduler.NewExponentialLR(o, 0.9),
		}, []int64{12})
	},
	"CyclicLR": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewCyclicLR(o, 0.01, 0.1, lr_scheduler.StepSizeUp(4))
	},
	"CyclicLR/two": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewCyclicLR(o, 0.01, 0.1, lr_scheduler.StepSizeUp(3), lr_scheduler.StepSizeDown(5), lr_scheduler.CyclicModeTriangular2,
			lr_scheduler.BaseMomentum(0.7), lr_scheduler.MaxMomentum(0.95))
	},
	"CyclicLR/linear range": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewCyclicLRList(o, []float64{0.01, 0.02}, []float64{0.1, 0.3}, lr_scheduler.StepSizeUp(3), lr_scheduler.StepSizeDown(2),
			lr_scheduler.CyclicModeExpRange, lr_scheduler.Gamma(0.97), lr_scheduler.BaseMomentums{0.7, 0.6}, lr_scheduler.MaxMomentums{0.9, 0.8})
	},
	"CyclicLR/own": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewCyclicLR(o, 0.01, 0.1, lr_scheduler.StepSizeUp(4), lr_scheduler.CycleMomentum(false), lr_scheduler.ScaleModeIterations,
			lr_scheduler.ScaleFn(func(x float64) float64 { return 1 / native.Pow(5, x*0.0001) }))
	},
	"CyclicLR/cycles": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewCyclicLR(o, 0.01, 0.1, lr_scheduler.StepSizeUp(4), lr_scheduler.CycleMomentum(false),
			lr_scheduler.ScaleFn(func(x float64) float64 { return 0.5 + 1/x }))
	},
	"OneCycleLR/groups": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewOneCycleLRList(o, []float64{0.5, 0.2}, lr_scheduler.TotalSteps(30),
			lr_scheduler.BaseMomentums{0.8, 0.7}, lr_scheduler.MaxMomentums{0.9, 0.95})
	},
	"ReduceLROnPlateau/groups": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewReduceLROnPlateau(o, lr_scheduler.Patience(0), lr_scheduler.Factor(0.5), lr_scheduler.MinLRs{0.02, 0.01})
	},
	"SWALR": func(o optim.Optimizer) scheduler { return lr_scheduler.NewSWALR(o, 0.02) },
	"SWALR/groups": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewSWALRList(o, []float64{0.02, 0.2}, lr_scheduler.AnnealEpochs(7), lr_scheduler.AnnealStrategyLinear)
	},
	"SWALR/at once": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewSWALR(o, 0.02, lr_scheduler.AnnealEpochs(0))
	},
	"SequentialLR/swa": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewSequentialLR(o, []scheduler{
			lr_scheduler.NewCosineAnnealingLR(o, 20), lr_scheduler.NewSWALR(o, 0.02, lr_scheduler.AnnealEpochs(6)),
		}, []int64{10})
	},
	"CosineAnnealingWarmRestarts/epochs": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewCosineAnnealingWarmRestarts(o, 4, lr_scheduler.TMult(2))
	},
	"CosineAnnealingWarmRestarts/equal epochs": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewCosineAnnealingWarmRestarts(o, 4)
	},
	"ReduceLROnPlateau": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewReduceLROnPlateau(o, lr_scheduler.Patience(2), lr_scheduler.Factor(0.5), lr_scheduler.Cooldown(1), lr_scheduler.MinLR(0.01))
	},
	"ReduceLROnPlateau/max": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewReduceLROnPlateau(o, lr_scheduler.ModeMax, lr_scheduler.Patience(0), lr_scheduler.Threshold(0.02), lr_scheduler.ThresholdModeAbs)
	},
	"ReduceLROnPlateau/any": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewReduceLROnPlateau(o, lr_scheduler.Patience(1), lr_scheduler.Threshold(0))
	},
}

// optimizer has two groups of one parameter each.
func optimizer(name string) optim.Optimizer {
	var o optim.Optimizer
	a := []*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.RequiresGrad)}
	if strings.Contains(name, "linear") {
		o = optim.NewAdamW(a, optim.LR(0.1))
	} else {
		o = optim.NewSGD(a, optim.LR(0.1))
	}
	o.AddParamGroup([]*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.RequiresGrad)}, optim.LR(0.05))
	return o
}

// momentum is that of the first group, or its beta1.
func momentum(o optim.Optimizer) float64 {
	g := o.ParamGroups()[0]
	if _, ok := g.Get("betas"); ok {
		m, _ := g.Betas()
		return m
	}
	return g.Momentum()
}

// stepper calls Step for step i with the metric that the schedulers of this
// name take.
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
						assert.Equal(t, int64(i), s.LastEpoch())
					}
					step(i)
				}
			})
		})
	}
}

// The rate that schedulers start from is that of the first one's beginning, is
// restored with the rest, and may be 0.
func TestInitialLR(t *testing.T) {
	torch.Scope(func() {
		o, other := optimizer(""), optimizer("")
		defer o.Close()
		defer other.Close()
		half := func(int64) float64 { return 0.5 }
		g := o.ParamGroups()[0]
		_, ok := g.InitialLR()
		assert.False(t, ok)
		rate(o, 1e-4)
		s := lr_scheduler.NewLambdaLR(o, half)
		assert.Equal(t, 0.5e-4, g.LR())
		initial, ok := g.InitialLR()
		assert.True(t, ok)
		assert.Equal(t, 1e-4, initial)

		require.NoError(t, o.LoadStateDict(other.StateDict())) // no scheduler there
		s.Step()
		assert.Equal(t, 0.5e-4, g.LR(), "a running scheduler goes on")

		require.NoError(t, other.LoadStateDict(o.StateDict()))
		lr_scheduler.NewLambdaLR(other, half)
		assert.Equal(t, 0.5e-4, other.ParamGroups()[0].LR())

		zero := optimizer("")
		defer zero.Close()
		rate(zero, 0)
		lr_scheduler.NewLambdaLR(zero, half)
		rate(zero, 1)
		lr_scheduler.NewLambdaLR(zero, half)
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
			"nil optimizer": {torch.ErrNil, func() { lr_scheduler.NewStepLR(nil, 1) }},
			"no steps":      {torch.ErrValue, func() { lr_scheduler.NewStepLR(o, 0) }},
			"nil option":    {torch.ErrNil, func() { lr_scheduler.NewStepLR(o, 1, nil) }},
			"lookalike":     {torch.ErrValue, func() { lr_scheduler.NewStepLR(o, 1, struct{ lr_scheduler.Gamma }{0.5}) }},
			"wrong before right": {torch.ErrValue, func() {
				lr_scheduler.NewOneCycleLR(o, 1, lr_scheduler.TotalSteps(0), lr_scheduler.TotalSteps(10))
			}},
			"no functions": {torch.ErrValue, func() { lr_scheduler.NewLambdaLRList(o, nil) }},
			"nil function": {torch.ErrNil, func() { lr_scheduler.NewLambdaLR(o, nil) }},
			"T_max":        {torch.ErrValue, func() { lr_scheduler.NewCosineAnnealingLR(o, 0) }},
			"factor":       {torch.ErrValue, func() { lr_scheduler.NewLinearLR(o, lr_scheduler.StartFactor(0)) }},
			"milestones":   {torch.ErrValue, func() { lr_scheduler.NewSequentialLR(o, nil, nil) }},
			"no total":     {torch.ErrValue, func() { lr_scheduler.NewOneCycleLR(o, 1) }},
			"one step":     {torch.ErrValue, func() { lr_scheduler.NewOneCycleLR(o, 1, lr_scheduler.TotalSteps(10), lr_scheduler.PctStart(0.1)) }},
			"pct start":    {torch.ErrValue, func() { lr_scheduler.NewOneCycleLR(o, 1, lr_scheduler.TotalSteps(10), lr_scheduler.PctStart(1.5)) }},
			"strategy": {torch.ErrValue, func() {
				lr_scheduler.NewOneCycleLR(o, 1, lr_scheduler.TotalSteps(10), lr_scheduler.AnnealStrategy("flat"))
			}},
			"plateau": {torch.ErrValue, func() { lr_scheduler.NewReduceLROnPlateau(o, lr_scheduler.Factor(2)) }},
			"mode":    {torch.ErrValue, func() { lr_scheduler.NewReduceLROnPlateau(o, lr_scheduler.Mode("mean")) }},
			"plateau of several": {torch.ErrValue, func() {
				lr_scheduler.NewSequentialLR(o, []scheduler{lr_scheduler.NewReduceLROnPlateau(o)}, nil)
			}},
			"another's": {torch.ErrValue, func() {
				p := optimizer("")
				defer p.Close()
				lr_scheduler.NewSequentialLR(o, []scheduler{lr_scheduler.NewStepLR(p, 1)}, nil)
			}},
			"no metric":     {torch.ErrValue, func() { lr_scheduler.NewReduceLROnPlateau(o).Step() }},
			"a metric":      {torch.ErrValue, func() { lr_scheduler.NewStepLR(o, 1).Step(1) }},
			"negative rate": {torch.ErrValue, func() { lr_scheduler.NewLambdaLR(o, func(int64) float64 { return -1 }) }},
			"nothing to resume": {torch.ErrValue, func() {
				p := optimizer("")
				defer p.Close()
				lr_scheduler.NewStepLR(p, 1, lr_scheduler.LastEpoch(3))
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
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1))
	defer opt.Close()
	sched := lr_scheduler.NewCosineAnnealingLR(opt, 4)
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

// Floats are printed as Python's are, and the dicts in a list as they are on
// their own.
func TestStateDictPrintsAsPythonDoes(t *testing.T) {
	sd := lr_scheduler.StateDict{
		"base_lrs": []float64{1, 1e-5}, "gamma": 1.0, "milestones": []int64{2, 3}, "verbose": false, "mode": "min",
		"_schedulers": []lr_scheduler.StateDict{{"gamma": 0.1, "last_epoch": int64(2)}},
	}
	assert.Equal(t, "{'_schedulers': [{'gamma': 0.1, 'last_epoch': 2}], 'base_lrs': [1.0, 1e-05], 'gamma': 1.0,"+
		" 'milestones': [2, 3], 'mode': 'min', 'verbose': False}", sd.String())
}
