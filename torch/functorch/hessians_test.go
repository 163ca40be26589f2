package functorch_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/again"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torchtest"
)

// curved is a function of testdata/make_hessians.py. It is differentiated with respect to
// its arguments 0 to wrt-1. It takes the other tensors that it uses from in.
type curved struct {
	wrt  int
	args string
	call func(in tensors, x ...*torch.Tensor) *torch.Tensor
}

// tensors are the inputs of the script by name.
type tensors = map[string]*torch.Tensor

func sines(y *torch.Tensor) *torch.Tensor { return y.Sin().Sum() }

func half(sign *torch.Tensor) *torch.Tensor { return sign.AddScalar(1).DivScalar(2) }

var training = F.Training(true)

var curves = map[string]curved{
	"softmax":     {1, "x", func(_ tensors, x ...*torch.Tensor) *torch.Tensor { return sines(x[0].Softmax(1)) }},
	"softmax_0":   {1, "one", func(_ tensors, x ...*torch.Tensor) *torch.Tensor { return sines(x[0].Softmax(0)) }},
	"log_softmax": {1, "x", func(_ tensors, x ...*torch.Tensor) *torch.Tensor { return sines(x[0].LogSoftmax(0)) }},
	"nll_loss": {1, "x label", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.NLLLoss(x[0].LogSoftmax(1), x[1]))
	}},
	"nll_loss_sum": {1, "x label", func(in tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.NLLLoss(x[0].Sin(), x[1], F.Weight(in["weight"]), F.ReductionSum))
	}},
	"nll_loss_none": {1, "x label", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.NLLLoss(x[0].Sin(), x[1], F.IgnoreIndex(2), F.ReductionNone))
	}},
	"nll_loss_one": {1, "one class_", func(in tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.NLLLoss(x[0].LogSoftmax(0), x[1], F.Weight(in["weight"])))
	}},
	"nll_loss2d": {1, "img pixel", func(in tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.NLLLoss(x[0].Unsqueeze(0).Sin(), x[1].Unsqueeze(0), F.Weight(in["two"]), F.IgnoreIndex(5)))
	}},
	"cross_entropy": {1, "x label", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.CrossEntropy(x[0], x[1])
	}},
	"cross_entropy_sum": {1, "x label", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.CrossEntropy(x[0], x[1], F.ReductionSum)
	}},
	"cross_entropy_none": {1, "x label", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.CrossEntropy(x[0], x[1], F.ReductionNone))
	}},
	"cross_entropy_weight": {1, "x label", func(in tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.CrossEntropy(x[0], x[1], F.Weight(in["weight"]), F.IgnoreIndex(2))
	}},
	"cross_entropy_smooth": {1, "x label", func(in tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.CrossEntropy(x[0], x[1], F.Weight(in["weight"]), F.LabelSmoothing(0.25))
	}},
	"cross_entropy_prob": {1, "x prob", func(in tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.CrossEntropy(x[0], x[1], F.Weight(in["weight"]))
	}},
	"cross_entropy_2d": {1, "img pixel", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.CrossEntropy(x[0].Unsqueeze(0), x[1].Unsqueeze(0), F.IgnoreIndex(5))
	}},
	"kl_div": {1, "x prob", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.KLDiv(x[0].LogSoftmax(1), x[1], F.ReductionBatchMean)
	}},
	"layer_norm": {1, "x", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.LayerNorm(x[0], torch.Shape{4}, nil, nil))
	}},
	"layer_norm_affine": {3, "x w b", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.LayerNorm(x[0], torch.Shape{4}, x[1], x[2]))
	}},
	"layer_norm_weight": {1, "w x", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.LayerNorm(x[1], torch.Shape{4}, x[0], nil))
	}},
	"layer_norm_all": {1, "x", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.LayerNorm(x[0], torch.Shape{3, 4}, nil, nil, F.Eps(0.1)))
	}},
	"batch_norm": {1, "x", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.BatchNorm(x[0], nil, nil, nil, nil, training))
	}},
	"batch_norm_affine": {3, "x w b", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.BatchNorm(x[0], nil, nil, x[1], x[2], training, F.Eps(0.1)))
	}},
	"batch_norm_2d": {1, "img", func(in tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.BatchNorm(x[0].Unsqueeze(1), nil, nil, in["mean"].Narrow(0, 0, 1).Exp(), nil, training))
	}},
	"batch_norm_eval": {2, "img w3", func(in tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.BatchNorm(x[0], in["mean"], in["var"], x[1], nil))
	}},
	"instance_norm": {1, "img", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.InstanceNorm(x[0].Unsqueeze(0), nil, nil, nil, nil))
	}},
	"group_norm": {1, "img", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.GroupNorm(x[0].Unsqueeze(0), 2, nil, nil))
	}},
	"logsigmoid": {1, "one", func(_ tensors, x ...*torch.Tensor) *torch.Tensor { return sines(F.LogSigmoid(x[0])) }},
	"bce": {1, "one sign", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.BinaryCrossEntropy(x[0].Sigmoid(), half(x[1]))
	}},
	"bce_with_logits": {1, "one sign", func(in tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.BinaryCrossEntropyWithLogits(x[0], half(x[1]), F.PosWeight(in["weight"]))
	}},
	"soft_margin_loss": {1, "one sign", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.SoftMarginLoss(x[0], x[1])
	}},
	"soft_margin_loss_sum": {1, "one sign", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.SoftMarginLoss(x[0], x[1], F.ReductionSum)
	}},
	"multilabel_soft_margin_loss": {1, "x prob", func(in tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.MultilabelSoftMarginLoss(x[0], x[1], F.Weight(in["weight"]))
	}},
	"mse_loss": {1, "x prob", func(_ tensors, x ...*torch.Tensor) *torch.Tensor { return F.MSELoss(x[0].Sin(), x[1]) }},
	"smooth_l1_loss": {1, "x prob", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.SmoothL1Loss(x[0].Sin(), x[1], F.Beta(0.5))
	}},
	"huber_loss": {2, "x prob", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return F.HuberLoss(x[0].Sin(), x[1], F.Delta(0.5))
	}},
	"huber_loss_none": {1, "x prob", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.HuberLoss(x[0].Sin(), x[1], F.ReductionNone, F.Delta(0.5)))
	}},
	"attention": {1, "x", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		return sines(F.ScaledDotProductAttention(x[0], x[0].Sin(), x[0]))
	}},
	"mlp": {4, "x w1 b1 w2 label", func(_ tensors, x ...*torch.Tensor) *torch.Tensor {
		y := F.LayerNorm(F.Linear(x[0], x[1], x[2]), torch.Shape{5}, nil, nil)
		return F.CrossEntropy(F.Linear(y.Tanh(), x[3], nil), x[4])
	}},
}

// Forward derivatives of Grad equal Python's. Where Python has none, they equal its
// backward derivatives. The test covers whole Hessians (for one example and for each
// example of a batch), products, and third derivatives.
func TestHessians(t *testing.T) {
	hessians(t, func(string) bool { return true })
}

func hessians(t *testing.T, takes func(name string) bool) {
	t.Helper()
	defer torchtest.CheckLeaks(t)()
	var g goldens
	var cases map[string]struct{ Each, Along, Backward, Forward []torchtest.Value }
	all := torchtest.LoadGoldens(t, "testdata/hessians.json")
	all.Decode("inputs", &g.inputs)
	all.Decode("cases", &cases)
	assert.Len(t, curves, len(cases))
	for name, want := range cases {
		c, ok := curves[name]
		if !assert.True(t, ok, name) || !takes(name) {
			continue
		}
		same := func(want []torchtest.Value, got []*torch.Tensor, what string) {
			t.Helper()
			if assert.Len(t, got, len(want), "%s, %s", name, what) {
				for i, w := range want {
					assert.True(t, torchtest.AllClose(t, tensor(t, w), got[i], torchtest.Rounding(1024, torch.Float64)),
						"%s, %s, %d", name, what, i)
				}
			}
		}
		torch.Scope(func() {
			fixed := tensors{}
			for name := range g.inputs {
				fixed[name] = g.input(t, name)[0]
			}
			fn := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return c.call(fixed, x...) })
			var wrt functorch.ArgNums
			for i := range c.wrt {
				wrt = append(wrt, i)
			}
			batch := g.input(t, c.args)
			var x, v []*torch.Tensor
			for i, b := range batch {
				x = append(x, b.Index(0))
				if i < c.wrt {
					v = append(v, x[i].MulScalar(3).Sin())
				}
			}
			along := functorch.Func(func(p ...*torch.Tensor) []*torch.Tensor {
				of := functorch.Func(func(u ...*torch.Tensor) []*torch.Tensor {
					return functorch.Grad(fn, wrt)(append(u[:c.wrt:c.wrt], x[c.wrt:]...)...)
				})
				_, d := functorch.JVP(of, p, v)
				return d
			})
			same(want.Each, functorch.VMap(functorch.Hessian(fn, wrt))(batch...), "each")
			forward := functorch.Hessian(fn, wrt)(x...)
			for i, h := range functorch.Jacrev(functorch.Jacrev(fn, wrt), wrt)(x...) {
				assert.True(t, torchtest.AllClose(t, h, forward[i], torchtest.Rounding(1024, torch.Float64)),
					"%s, backwards, %d", name, i)
				assert.True(t,
					torchtest.AllClose(t, tensor(t, want.Each[i]).Index(0), forward[i],
						torchtest.Rounding(1024, torch.Float64)), "%s, %d", name, i)
			}
			if name == "mse_loss" { // libtorch has a formula, which fails if target has no tangent
				return
			}
			same(want.Along, along(x[:c.wrt]...), "along")
			number := functorch.OfMany(func(p ...*torch.Tensor) *torch.Tensor {
				sum := torch.Zeros(torch.Shape{}, torch.Float64)
				for _, d := range along(p...) {
					sum = sum.Add(sines(d))
				}
				return sum
			})
			same(want.Backward, functorch.Grad(number, wrt)(x[:c.wrt]...), "backward")
			_, third := functorch.JVP(along, x[:c.wrt], v)
			if want.Forward != nil {
				same(want.Forward, third, "forward")
			}
		})
	}
}

const hessiansProcess = "GOTORCH_TEST_HESSIANS"

// No Hessian runs an operator once per example, which would give a warning from libtorch. The
// exception is soft_margin_loss, which has no rule for VMap.
func TestHessiansRunOnce(t *testing.T) {
	if os.Getenv(hessiansProcess) != "" {
		torch.SetWarnings(torch.WarnAlways)
		hessians(t, func(name string) bool { return !strings.HasPrefix(name, "soft_margin") })
		return
	}
	cmd := again.Command("-test.run=^TestHessiansRunOnce$")
	cmd.Env = append(os.Environ(), hessiansProcess+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	require.NoError(t, cmd.Run(), text.String())
	assert.NotContains(t, text.String(), "performance drop")
}

// These backward operators are only used on other devices or by older programs. The
// backward operator of native_batch_norm has a mask that omits results. The backward
// operator of dropout is a product.
func TestForwardOfBackward(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		torch.ManualSeed(3)
		f64 := torch.Float64
		x, g, w := torch.Randn(torch.Shape{4, 3}, f64), torch.Randn(torch.Shape{4, 3}, f64),
			torch.Randn(torch.Shape{3}, f64)
		_, mean, invstd := aten.NativeBatchNorm(x, w, nil, nil, nil, true, 0.1, 1e-3)
		reserve := torch.Zeros(torch.Shape{0}, torch.Uint8)
		every, two := [3]bool{true, true, true}, [3]bool{false, true, true}
		tangents := list(x.Sin(), g.Cos(), w.Exp())
		along := func(fn func(x, g, w *torch.Tensor) (a, b, c *torch.Tensor)) []*torch.Tensor {
			y, d := functorch.JVP(func(in ...*torch.Tensor) []*torch.Tensor {
				a, b, c := fn(in[0], in[1], in[2])
				if a == nil {
					return list(b, c)
				}
				return list(a, b, c)
			}, list(x, g, w), tangents)
			return append(y, d...)
		}
		want := along(func(x, g, w *torch.Tensor) (a, b, c *torch.Tensor) {
			return aten.NativeBatchNormBackward(g, x, w, nil, nil, mean, invstd, true, 1e-3, every)
		})
		a, b, c := aten.NativeBatchNormBackward(g, x, w, nil, nil, mean, invstd, true, 1e-3, every)
		for i, v := range list(a, b, c) {
			assert.True(t, torchtest.AllClose(t, v, want[i], rounding), "the value, %d", i)
		}
		for name, fn := range map[string]func(x, g, w *torch.Tensor) (a, b, c *torch.Tensor){
			"cudnn": func(x, g, w *torch.Tensor) (a, b, c *torch.Tensor) {
				return aten.CudnnBatchNormBackward(x, g, w, nil, nil, mean, invstd, 1e-3, reserve)
			},
			"miopen": func(x, g, w *torch.Tensor) (a, b, c *torch.Tensor) {
				return aten.MiopenBatchNormBackward(x, g, w, nil, nil, mean, invstd, 1e-3)
			},
			"update": func(x, g, w *torch.Tensor) (a, b, c *torch.Tensor) {
				return aten.BatchNormBackward(g, x, w, nil, nil, mean, invstd, true, 1e-3, every, reserve)
			},
		} {
			for i, v := range along(fn) {
				assert.True(t, torchtest.AllClose(t, want[i], v, rounding), "%s, %d", name, i)
			}
		}
		masked := along(func(x, g, w *torch.Tensor) (a, b, c *torch.Tensor) {
			return aten.NativeBatchNormBackward(g, x, w, nil, nil, mean, invstd, true, 1e-3, two)
		})
		for i, k := range []int{1, 2, 4, 5} {
			assert.True(t, torchtest.AllClose(t, want[k], masked[i], rounding), "masked, %d", i)
		}

		mask := torch.FromSlice([]bool{true, false, true})
		_, d := functorch.JVP(functorch.Of(func(g *torch.Tensor) *torch.Tensor {
			return aten.NativeDropoutBackward(g, mask, 2)
		}),
			list(w), list(torch.FromSlice([]float64{1, 2, 3})))
		assert.Equal(t, []float64{2, 0, 6}, d[0].Float64s())
	})
}

// Half-precision results are rounded only at the end, and examples without elements work.
func TestHessiansOfHalves(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		torch.ManualSeed(5)
		label := torch.FromSlice([]int64{0, 2})
		for name, fn := range map[string]functorch.Func{
			"softmax": functorch.Of(func(x *torch.Tensor) *torch.Tensor { return sines(x.Softmax(1)) }),
			"loss":    functorch.Of(func(x *torch.Tensor) *torch.Tensor { return F.CrossEntropy(x, label) }),
			"layer_norm": functorch.Of(func(x *torch.Tensor) *torch.Tensor {
				return sines(F.LayerNorm(x, torch.Shape{3}, nil, nil, F.Eps(1)))
			}),
			"batch_norm": functorch.Of(func(x *torch.Tensor) *torch.Tensor {
				return sines(F.BatchNorm(x, nil, nil, nil, nil, training, F.Eps(1)))
			}),
		} {
			x := torch.Randn(torch.Shape{2, 3}).To(torch.BFloat16)
			v := torch.Ones(torch.Shape{2, 3}).CumSum(1).To(torch.BFloat16)
			few := derivative(functorch.Grad(fn), x, v)
			assert.Equal(t, torch.BFloat16, few.DType(), name)
			many := derivative(functorch.Grad(fn), x.To(torch.Float32), v.To(torch.Float32))
			assert.True(t, torchtest.AllClose(t, many, few.To(torch.Float32), torchtest.RTol(0.1), torchtest.ATol(0.1)),
				name)
		}
		empty := torch.Zeros(torch.Shape{0, 3})
		norm := functorch.Of(func(x *torch.Tensor) *torch.Tensor {
			return sines(F.LayerNorm(x, torch.Shape{3}, nil, nil))
		})
		assert.Equal(t, torch.Shape{0, 3}, derivative(functorch.Grad(norm), empty, empty).Shape())
	})
}

// If neither libtorch nor gotorch has a forward derivative, libtorch's error is unchanged.
func TestForwardMissing(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, label := torch.Ones(torch.Shape{2, 3}), torch.FromSlice([]int64{0, 2})
		refused := 0
		for name, fn := range map[string]functorch.Func{
			"_cdist_forward": functorch.Of(func(y *torch.Tensor) *torch.Tensor { return torch.Cdist(x, y) }),
			"grid_sampler_2d": functorch.Of(func(y *torch.Tensor) *torch.Tensor {
				return F.GridSample(torch.Ones(torch.Shape{1, 1, 2, 2}), y.View(1, 3, 1, 2))
			}),
			"multi_margin_loss": functorch.Of(func(y *torch.Tensor) *torch.Tensor {
				return F.MultiMarginLoss(y, label)
			}),
		} {
			err := torch.Try(func() { functorch.JVP(fn, list(x), list(x)) })
			if err == nil && !strings.HasPrefix(cgotorch.Version(), "2.11.") {
				continue // newer versions have more derivatives
			}
			refused++
			assert.ErrorIs(t, err, torch.ErrNotImplemented, name)
			assert.ErrorContains(t, err, "forward AD with "+name)
		}
		assert.NotZero(t, refused)
	})
}

// Several goroutines compute Hessians at once and share the rules.
func TestHessiansOfGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{3, 4}, torch.Float64)
		label := torch.FromSlice([]int64{0, 2, 3})
		loss := functorch.Of(func(x *torch.Tensor) *torch.Tensor {
			return F.CrossEntropy(F.LayerNorm(x, torch.Shape{4}, nil, nil), label)
		})
		want := functorch.Hessian(loss).One(x)
		var wg sync.WaitGroup
		failed := make(chan string, 16)
		for range 16 {
			wg.Go(func() {
				torch.Scope(func() {
					if d := torchtest.Difference(want, functorch.Hessian(loss).One(x), rounding); d != "" {
						failed <- d
					}
				})
			})
		}
		wg.Wait()
		close(failed)
		for d := range failed {
			t.Error(d)
		}
	})
}
