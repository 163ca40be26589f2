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
}

var plateaus = map[string]lr_scheduler.PlateauOptions{
	"ReduceOnPlateau":     {Patience: 2, Factor: 0.5, Cooldown: 1, MinLR: 0.01},
	"ReduceOnPlateau/max": {Max: true, NoPatience: true, Threshold: 0.02, AbsoluteThreshold: true},
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
