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

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/lr_scheduler"
	"github.com/gotorch/gotorch/torch"
)

type scheduler = lr_scheduler.Scheduler

var makers = map[string]func(o optim.Optimizer) scheduler{
	"StepLR":        func(o optim.Optimizer) scheduler { return lr_scheduler.NewStepLR(o, 4, 0) },
	"StepLR/gamma":  func(o optim.Optimizer) scheduler { return lr_scheduler.NewStepLR(o, 3, 0.5) },
	"MultiStepLR":   func(o optim.Optimizer) scheduler { return lr_scheduler.NewMultiStepLR(o, []int64{2, 5, 5, 11}, 0.3) },
	"ExponentialLR": func(o optim.Optimizer) scheduler { return lr_scheduler.NewExponentialLR(o, 0.9) },
	"LambdaLR": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewLambdaLR(o, func(e int64) float64 { return 1 / float64(e+1) })
	},
	"LambdaLR/groups": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewLambdaLR(o, func(e int64) float64 { return 1 / float64(e+1) },
			func(e int64) float64 { return math.Pow(0.9, float64(e)) })
	},
	"LambdaLR/set rate": func(o optim.Optimizer) scheduler {
		o.SetLR(1e-4)
		return lr_scheduler.NewLambdaLR(o, func(e int64) float64 { return 1 / float64(e+1) })
	},
	"LambdaLR/second": func(o optim.Optimizer) scheduler {
		lr_scheduler.NewStepLR(o, 4, 0)
		o.SetLR(1e-4) // is not what the second one starts from
		return lr_scheduler.NewLambdaLR(o, func(e int64) float64 { return 1 / float64(e+1) })
	},
	"ConstantLR":          func(o optim.Optimizer) scheduler { return lr_scheduler.NewConstantLR(o, 0.25, 6) },
	"LinearLR":            func(o optim.Optimizer) scheduler { return lr_scheduler.NewLinearLR(o, 0.1, 0.8, 7) },
	"CosineAnnealing":     func(o optim.Optimizer) scheduler { return lr_scheduler.NewCosineAnnealing(o, 10) },
	"CosineAnnealing/min": func(o optim.Optimizer) scheduler { return lr_scheduler.NewCosineAnnealing(o, 7, 0.001) },
	"CosineWarmRestarts":  func(o optim.Optimizer) scheduler { return lr_scheduler.NewCosineWarmRestarts(o, 3, 2, 0.002) },
	"OneCycle":            func(o optim.Optimizer) scheduler { return lr_scheduler.NewOneCycle(o, 0.5, 30) },
	"OneCycle/linear": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewOneCycle(o, 0.5, 30, lr_scheduler.OneCycleOptions{
			PctStart: 0.4, Linear: true, DivFactor: 10, FinalDivFactor: 50,
		})
	},
	"Sequential": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewSequential(o, []func() scheduler{
			func() scheduler { return lr_scheduler.NewLinearLR(o, 0.1, 1, 5) },
			func() scheduler { return lr_scheduler.NewCosineAnnealing(o, 20) },
		}, []int64{5})
	},
	"Sequential/repeated": func(o optim.Optimizer) scheduler {
		return lr_scheduler.NewSequential(o, []func() scheduler{
			func() scheduler { return lr_scheduler.NewLinearLR(o, 0.1, 1, 5) },
			func() scheduler { return lr_scheduler.NewStepLR(o, 2, 0) },
			func() scheduler { return lr_scheduler.NewExponentialLR(o, 0.9) },
		}, []int64{5, 5})
	},
}

var plateaus = map[string]lr_scheduler.PlateauOptions{
	"ReduceOnPlateau":     {Patience: 2, Factor: 0.5, Cooldown: 1, MinLR: 0.01},
	"ReduceOnPlateau/max": {Max: true, NoPatience: true, Threshold: 0.02, AbsoluteThreshold: true},
	"ReduceOnPlateau/any": {Patience: 1, NoThreshold: true},
}

// optimizer has two groups of one parameter each.
func optimizer(name string) optim.Optimizer {
	a, b := torch.Zeros(torch.Shape{1}, torch.RequiresGrad), torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	if strings.Contains(name, "linear") {
		o := optim.NewAdamW([]*torch.Tensor{a}, optim.AdamWOptions{LR: 0.1})
		o.AddParamGroup([]*torch.Tensor{b}, optim.AdamWOptions{LR: 0.05})
		return o
	}
	o := optim.NewSGD([]*torch.Tensor{a}, optim.SGDOptions{LR: 0.1})
	o.AddParamGroup([]*torch.Tensor{b}, optim.SGDOptions{LR: 0.05})
	return o
}

func TestAgainstPython(t *testing.T) {
	data, err := os.ReadFile("testdata/schedulers.json")
	require.NoError(t, err)
	var file struct {
		Metrics []float64
		Cases   map[string][][]float64
	}
	require.NoError(t, json.Unmarshal(data, &file))
	require.Len(t, file.Cases, len(makers)+len(plateaus))
	for name, rows := range file.Cases {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				o := optimizer(name)
				defer o.Close()
				var step func(i int)
				var last func() []float64
				if p, ok := plateaus[name]; ok {
					s := lr_scheduler.NewReduceOnPlateau(o, p)
					step, last = func(i int) { s.Step(file.Metrics[i%len(file.Metrics)]) }, s.LastLR
					if strings.HasSuffix(name, "any") {
						step = func(i int) { s.Step(1 - 1e-6*float64(i/2)) }
					}
				} else {
					s := makers[name](o)
					step, last = func(int) { s.Step() }, s.LastLR
				}
				for i, want := range rows {
					got := last()
					assert.InDeltaSlice(t, want[:2], got, 1e-14, "step %d", i)
					g := o.ParamGroups()[0]
					if g.Betas[0] != 0 {
						assert.InDelta(t, want[2], g.Betas[0], 1e-14, "beta in step %d", i)
					} else {
						assert.InDelta(t, want[2], g.Momentum, 1e-14, "momentum in step %d", i)
					}
					step(i)
				}
			})
		})
	}
}

// A milestone of 0 leaves out what is before it.
func TestSequentialFromZero(t *testing.T) {
	torch.Scope(func() {
		o := optimizer("")
		defer o.Close()
		s := lr_scheduler.NewSequential(o, []func() scheduler{
			func() scheduler { panic("the first scheduler's turn never comes") },
			func() scheduler { return lr_scheduler.NewExponentialLR(o, 0.5) },
			func() scheduler { return lr_scheduler.NewConstantLR(o, 0.25, 9) },
		}, []int64{0, 2})
		for i, want := range []float64{0.1, 0.05, 0.025, 0.025} {
			assert.InDelta(t, want, s.LastLR()[0], 1e-15, "epoch %d", i)
			s.Step()
		}
	})
}

// The rate that schedulers start from is that of the first one's beginning, and
// is restored with the rest.
func TestInitialLR(t *testing.T) {
	torch.Scope(func() {
		o, other := optimizer(""), optimizer("")
		defer o.Close()
		defer other.Close()
		half := func(int64) float64 { return 0.5 }
		assert.Zero(t, o.ParamGroups()[0].InitialLR)
		o.SetLR(1e-4)
		s := lr_scheduler.NewLambdaLR(o, half)
		assert.InDelta(t, 0.5e-4, o.LR(), 0)
		assert.InDelta(t, 1e-4, o.ParamGroups()[0].InitialLR, 0)

		require.NoError(t, o.LoadStateDict(other.StateDict())) // no scheduler there
		s.Step()
		assert.InDelta(t, 0.5e-4, o.LR(), 0, "a running scheduler goes on")

		require.NoError(t, other.LoadStateDict(o.StateDict()))
		lr_scheduler.NewLambdaLR(other, half)
		assert.InDelta(t, 0.5e-4, other.LR(), 0)
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
			"nil optimizer": {torch.ErrNil, func() { lr_scheduler.NewStepLR(nil, 1, 0) }},
			"no steps":      {torch.ErrValue, func() { lr_scheduler.NewStepLR(o, 0, 0) }},
			"no functions":  {torch.ErrValue, func() { lr_scheduler.NewLambdaLR(o) }},
			"nil function":  {torch.ErrValue, func() { lr_scheduler.NewLambdaLR(o, nil) }},
			"tMax":          {torch.ErrValue, func() { lr_scheduler.NewCosineAnnealing(o, 0) }},
			"factor":        {torch.ErrValue, func() { lr_scheduler.NewLinearLR(o, 0, 1, 5) }},
			"milestones":    {torch.ErrValue, func() { lr_scheduler.NewSequential(o, nil, nil) }},
			"one step":      {torch.ErrValue, func() { lr_scheduler.NewOneCycle(o, 1, 10, lr_scheduler.OneCycleOptions{PctStart: 0.1}) }},
			"pct start":     {torch.ErrValue, func() { lr_scheduler.NewOneCycle(o, 1, 10, lr_scheduler.OneCycleOptions{PctStart: 1.5}) }},
			"plateau":       {torch.ErrValue, func() { lr_scheduler.NewReduceOnPlateau(o, lr_scheduler.PlateauOptions{Factor: 2}) }},
		} {
			err := torch.Try(c.fn)
			if assert.Error(t, err, name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", name, err)
			}
		}
	})
}

func ExampleNewCosineAnnealing() {
	w := torch.Zeros(torch.Shape{1}, torch.RequiresGrad)
	defer w.Close()
	opt := optim.NewSGD([]*torch.Tensor{w}, optim.SGDOptions{LR: 1})
	defer opt.Close()
	sched := lr_scheduler.NewCosineAnnealing(opt, 4)
	for range 4 {
		sched.Step()
		fmt.Printf("%.3f ", opt.LR())
	}
	fmt.Println()
	// Output: 0.854 0.500 0.146 0.000
}
