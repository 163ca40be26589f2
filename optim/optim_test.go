package optim_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// scoped runs a test in a scope and checks that no tensor outlives it.
func scoped(t *testing.T, fn func()) {
	t.Helper()
	before := torch.NumLiveTensors()
	torch.Scope(fn)
	assert.Equal(t, before, torch.NumLiveTensors(), "tensors left open")
}

// golden holds the contents of testdata/optim.json.
type golden struct {
	Torch         string
	Shapes        []torch.Shape
	Start, Target [][]float64
	Runs          []run
}

type run struct {
	Optimizer      string
	Options        map[string]any
	Implementation string
	DType          string
	Skip           bool
	Losses         []float64
	End            [][]float64
	State          []map[string][]float64
	Text           string
	Bits           map[string]string
}

// pythons converts Python's keyword arguments to options.
func pythons(keywords map[string]any) (opts []optim.Option) {
	for name, v := range keywords {
		switch name {
		case "lr":
			opts = append(opts, optim.LR(v.(float64)))
		case "momentum":
			opts = append(opts, optim.Momentum(v.(float64)))
		case "dampening":
			opts = append(opts, optim.Dampening(v.(float64)))
		case "weight_decay":
			opts = append(opts, optim.WeightDecay(v.(float64)))
		case "eps":
			if _, pair := v.([]any); pair {
				opts = append(opts, tuple(name, v.([]any)))
				continue
			}
			opts = append(opts, optim.Eps(v.(float64)))
		case "nesterov":
			opts = append(opts, optim.Nesterov(v.(bool)))
		case "maximize":
			opts = append(opts, optim.Maximize(v.(bool)))
		case "amsgrad":
			opts = append(opts, optim.AMSGrad(v.(bool)))
		case "decoupled_weight_decay":
			opts = append(opts, optim.DecoupledWeightDecay(v.(bool)))
		case "alpha":
			opts = append(opts, optim.Alpha(v.(float64)))
		case "centered":
			opts = append(opts, optim.Centered(v.(bool)))
		case "lr_decay":
			opts = append(opts, optim.LRDecay(v.(float64)))
		case "initial_accumulator_value":
			opts = append(opts, optim.InitialAccumulatorValue(v.(float64)))
		case "rho":
			opts = append(opts, optim.Rho(v.(float64)))
		case "momentum_decay":
			opts = append(opts, optim.MomentumDecay(v.(float64)))
		case "lambd":
			opts = append(opts, optim.Lambd(v.(float64)))
		case "t0":
			opts = append(opts, optim.T0(v.(float64)))
		case "beta2_decay":
			opts = append(opts, optim.Beta2Decay(v.(float64)))
		case "d":
			opts = append(opts, optim.D(v.(float64)))
		case "ns_steps":
			opts = append(opts, optim.NSSteps(v.(float64)))
		case "adjust_lr_fn":
			opts = append(opts, optim.AdjustLRFn(v.(string)))
		case "max_iter":
			opts = append(opts, optim.MaxIter(v.(float64)))
		case "max_eval":
			opts = append(opts, optim.MaxEval(v.(float64)))
		case "history_size":
			opts = append(opts, optim.HistorySize(v.(float64)))
		case "tolerance_grad":
			opts = append(opts, optim.ToleranceGrad(v.(float64)))
		case "tolerance_change":
			opts = append(opts, optim.ToleranceChange(v.(float64)))
		case "line_search_fn":
			opts = append(opts, optim.LineSearchFn(v.(string)))
		default:
			opts = append(opts, tuple(name, v.([]any)))
		}
	}
	return opts
}

func tuple(name string, v []any) optim.Option {
	f := func(i int) float64 { return v[i].(float64) }
	switch name {
	case "betas":
		return optim.Betas(f(0), f(1))
	case "etas":
		return optim.Etas(f(0), f(1))
	case "step_sizes":
		return optim.StepSizes(f(0), f(1))
	case "eps":
		return optim.EpsPair(v[0], f(1))
	case "ns_coefficients":
		return optim.NSCoefficients(f(0), f(1), f(2))
	}
	panic(name)
}

func implementation(name string) []optim.Option {
	switch name {
	case "fused":
		return []optim.Option{optim.Fused(true)}
	case "foreach":
		return []optim.Option{optim.Foreach(true)}
	case "history": // so small that the first step fills the history
		return []optim.Option{optim.LR(0.1), optim.HistorySize(3)}
	}
	return nil
}

// as converts options to the option type of one optimizer.
func as[T optim.Option](opts []optim.Option) (all []T) {
	for _, o := range opts {
		all = append(all, o.(T))
	}
	return all
}

func (r *run) optimizer(params []*torch.Tensor) optim.Optimizer {
	opts := append(pythons(r.Options), implementation(r.Implementation)...)
	return members["New"+r.Optimizer].build(params, opts)
}

// loss computes the loss function of make_optim.py.
func (r *run) loss(params, target []*torch.Tensor, step int) *torch.Tensor {
	var loss *torch.Tensor
	for i, p := range params {
		if r.Skip && i == 2 && step%3 == 0 {
			continue
		}
		d := p.Sub(target[i])
		term := d.Mul(d).Sum().MulScalar(float64(i + 1)).DivScalar(10)
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

func dtypeOf(name string) torch.DType {
	if name == "float64" {
		return torch.Float64
	}
	return torch.Float32
}

func (g *golden) tensors(values [][]float64, dtype string, opts ...torch.TensorOption) []*torch.Tensor {
	ts := make([]*torch.Tensor, len(values))
	for i, v := range values {
		ts[i] = torch.FromSliceWith(v, g.Shapes[i], append([]torch.TensorOption{dtypeOf(dtype)}, opts...)...)
	}
	return ts
}

// digest hashes the bits of tensors like make_optim.py.
func digest(ts []*torch.Tensor) string {
	h := sha256.New()
	for _, t := range ts {
		for _, v := range t.Double().Float64s() {
			var b [8]byte
			for i, n := 0, math.Float64bits(v); i < 8; i++ {
				b[i] = byte(n >> (8 * i))
			}
			h.Write(b[:])
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// fingerprint hashes the results of the operators that optimizers use. The results depend on this
// machine's instructions. make_optim.py computes the same fingerprint.
func fingerprint() string {
	var out []*torch.Tensor
	for _, dtype := range []torch.DType{torch.Float32, torch.Float64} {
		sines := func(from float64) *torch.Tensor { return torch.Arange(from, from+129, 1, dtype).Sin() }
		a, b, c := sines(0), sines(200), sines(400)
		out = append(out,
			aten.LerpScalar(a, b, 0.1), aten.Addcmul(a, b, c, 0.3), aten.Addcdiv(a, b, c, 0.3),
			aten.AddTensor(a, b, 0.3), b.Abs().Sqrt(), b.DivScalar(0.7))
	}
	var corrections []float64
	for k := range 50 {
		n := float64(k + 1)
		corrections = append(corrections, native.Pow(1-native.Pow(0.999, n), 0.5)/(1-native.Pow(0.9, n)))
	}
	return digest(append(out, torch.FromSlice(corrections)))
}

// The results of 50 steps equal Python's, for each implementation. If this CPU's instructions are
// the same as on one of the recorded CPUs, all bits are equal. On other CPUs each step may differ
// by rounding.
func TestAgainstPython(t *testing.T) {
	var g golden
	load(t, "optim.json", &g)
	require.NotEmpty(t, g.Runs)
	var here string
	torch.Scope(func() { here = fingerprint() })
	for i, r := range g.Runs {
		t.Run(fmt.Sprintf("%d_%s_%s_%s", i, r.Optimizer, r.Implementation, r.DType), func(t *testing.T) {
			scoped(t, func() {
				params, target := g.tensors(g.Start, r.DType, torch.RequiresGrad(true)), g.tensors(g.Target, r.DType)
				if r.Optimizer == "Muon" {
					params = params[:1]
				}
				opt := r.optimizer(params)
				defer opt.Close()
				ulp := 0x1p-23
				if r.DType == "float64" {
					ulp = 0x1p-52
				}
				for step := range 50 {
					opt.ZeroGrad()
					loss := r.loss(params, target, step)
					loss.Backward()
					if step%7 == 0 {
						require.InDelta(t, r.Losses[step/7], loss.Item(), 64*ulp*max(r.Losses[0], r.Losses[step/7]),
							"loss of step %d", step)
					}
					opt.Step()
				}
				assert.Equal(t, r.Text, fmt.Sprint(opt))
				all := slices.Clone(params)
				for _, p := range params {
					state := opt.State(p)
					for _, name := range slices.Sorted(maps.Keys(state)) {
						all = append(all, state[name])
					}
				}
				if want := r.Bits[here]; want != "" {
					assert.Equal(t, want, digest(all), "the bits of parameters and state")
				} else {
					t.Log("no results with the bits of this CPU are recorded")
				}
				for j, p := range params {
					if r.End == nil {
						continue
					}
					// 50 steps with about 10 roundings each, for numbers up to 4.
					assert.InDeltaSlice(t, r.End[j], p.Double().Float64s(), 4*500*ulp, "parameter %d", j)
					for name, want := range r.State[j] {
						large := slices.Max(append([]float64{1}, want...))
						assert.InDeltaSlice(t, want, opt.State(p)[name].Double().Float64s(), 16*500*ulp*large,
							"%s of parameter %d", name, j)
					}
				}
			})
		})
	}
}
