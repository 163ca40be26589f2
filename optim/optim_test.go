package optim_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// scoped runs a test in a scope and checks that no tensor outlives it.
func scoped(t *testing.T, fn func()) {
	t.Helper()
	before := torch.LiveTensors()
	torch.Scope(fn)
	assert.Equal(t, before, torch.LiveTensors(), "tensors left open")
}

// run is an entry of testdata/optim.json.
type run struct {
	Optimizer string
	Options   struct {
		LR           float64
		Momentum     float64
		Dampening    float64
		WeightDecay  *float64 `json:"weight_decay"`
		Nesterov     bool
		Maximize     bool
		Amsgrad      bool
		Betas        [2]float64
		Eps          float64
		Unrecognized int
	}
	DType  string
	Skip   bool
	Shapes []torch.Shape
	Start  [][]float64
	Target [][]float64
	Losses []float64
	End    [][]float64
	State  []map[string][]float64
}

func (r *run) decay() float64 {
	if r.Options.WeightDecay == nil {
		return 0
	}
	return *r.Options.WeightDecay
}

func (r *run) optimizer(params []*torch.Tensor) optim.Optimizer {
	o := r.Options
	switch r.Optimizer {
	case "SGD":
		return optim.NewSGD(params, optim.SGDOptions{
			LR: o.LR, Momentum: o.Momentum, Dampening: o.Dampening, WeightDecay: r.decay(),
			Nesterov: o.Nesterov, Maximize: o.Maximize,
		})
	case "Adam":
		return optim.NewAdam(params, optim.AdamOptions{
			LR: o.LR, Betas: o.Betas, Eps: o.Eps, WeightDecay: r.decay(), Amsgrad: o.Amsgrad, Maximize: o.Maximize,
		})
	default:
		return optim.NewAdamW(params, optim.AdamWOptions{
			LR: o.LR, Betas: o.Betas, Eps: o.Eps, WeightDecay: r.decay(),
			NoWeightDecay: o.WeightDecay != nil && *o.WeightDecay == 0,
			Amsgrad:       o.Amsgrad, Maximize: o.Maximize,
		})
	}
}

// loss is that of make_optim.py.
func (r *run) loss(params, target []*torch.Tensor, step int) *torch.Tensor {
	var loss *torch.Tensor
	for i, p := range params {
		if r.Skip && i == 2 && step%3 == 0 {
			continue
		}
		term := p.Sub(target[i]).PowScalar(2).Sum().MulScalar(float64(i + 1)).DivScalar(10)
		if loss == nil {
			loss = term
		} else {
			loss = loss.Add(term)
		}
	}
	return loss
}

func load(t *testing.T, file string, to any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, to))
}

func (r *run) tensors(values [][]float64, opts ...torch.Option) []*torch.Tensor {
	ts := make([]*torch.Tensor, len(values))
	dtype := torch.Float32
	if r.DType == "float64" {
		dtype = torch.Float64
	}
	for i, v := range values {
		ts[i] = torch.FromSliceWith(v, r.Shapes[i], append([]torch.Option{dtype}, opts...)...)
	}
	return ts
}

func TestAgainstPython(t *testing.T) {
	var runs []run
	load(t, "optim.json", &runs)
	require.NotEmpty(t, runs)
	for i, r := range runs {
		t.Run(fmt.Sprintf("%d_%s_%s", i, r.Optimizer, r.DType), func(t *testing.T) {
			scoped(t, func() {
				tolerance := 1e-6
				if r.DType == "float64" {
					tolerance = 1e-12
				}
				params, target := r.tensors(r.Start, torch.RequiresGrad), r.tensors(r.Target)
				opt := r.optimizer(params)
				defer opt.Close()
				for step, want := range r.Losses {
					opt.ZeroGrad()
					loss := r.loss(params, target, step)
					loss.Backward()
					require.InEpsilon(t, want, loss.Item(), 20*tolerance, "loss of step %d", step)
					opt.Step()
				}
				sd := opt.StateDict()
				for j, p := range params {
					assert.InDeltaSlice(t, r.End[j], p.Float64s(), tolerance, "parameter %d", j)
					for name, want := range r.State[j] {
						got := sd.State[j][name]
						require.NotNil(t, got, name)
						assert.InDeltaSlice(t, want, got.Float64s(), 10*tolerance, "%s of parameter %d", name, j)
					}
				}
			})
		})
	}
}
