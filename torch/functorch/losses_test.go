package functorch_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torchtest"
)

// lossCase is a case of testdata/make_losses.py.
type lossCase struct {
	Loss, X, Target, Fixed string
	Options                struct {
		Reduction      F.Reduction
		Weighted       bool
		IgnoreIndex    *int64  `json:"ignore_index"`
		LabelSmoothing float64 `json:"label_smoothing"`
		Beta, Delta    float64
	}
	Y, Grad, Twice, Total, Hessian torchtest.Value // only some cases have a Hessian
}

// call returns the loss of one example.
func (c lossCase) call(x, target, weight *torch.Tensor) *torch.Tensor {
	o := c.Options
	reduction := o.Reduction
	if reduction == "" {
		reduction = F.ReductionMean
	}
	switch c.Loss {
	case "mse_loss":
		return F.MSELoss(x, target, reduction)
	case "smooth_l1_loss":
		return F.SmoothL1Loss(x, target, reduction, F.Beta(o.Beta))
	case "huber_loss":
		delta := F.Delta(1)
		if o.Delta != 0 {
			delta = F.Delta(o.Delta)
		}
		return F.HuberLoss(x, target, reduction, delta)
	}
	ignore := F.IgnoreIndex(-100)
	if o.IgnoreIndex != nil {
		ignore = F.IgnoreIndex(*o.IgnoreIndex)
	}
	if !o.Weighted {
		weight = nil
	}
	if c.Loss == "nll_loss" {
		return F.NLLLoss(x, target, F.Weight(weight), ignore, reduction)
	}
	return F.CrossEntropy(x, target, F.Weight(weight), ignore, reduction, F.LabelSmoothing(o.LabelSmoothing))
}

// losses reads testdata/losses.json.
func losses(t *testing.T) (g goldens, cases []lossCase, addr map[string]torchtest.Value) {
	t.Helper()
	all := torchtest.LoadGoldens(t, "testdata/losses.json")
	all.Decode("inputs", &g.inputs)
	all.Decode("cases", &cases)
	all.Decode("addr", &addr)
	return g, cases, addr
}

// Under VMap, losses for which libtorch has no rule equal Python's. The test covers values, gradients of
// each example and their derivatives, gradients of all examples, Hessians, and nested VMaps.
func TestLosses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g, cases, _ := losses(t)
	same := func(want torchtest.Value, got *torch.Tensor, c lossCase, what string) {
		assert.True(t, torchtest.AllClose(t, tensor(t, want), got, rounding), "%s of %s(%s), %+v", what, c.Loss, c.X,
			c.Options)
	}
	require.NotEmpty(t, cases)
	for _, c := range cases {
		torch.Scope(func() {
			in := g.input(t, c.X+" "+c.Target+" weight")
			weight, in := in[2], in[:2]
			dims := functorch.InDims{0, 0}
			for i, name := range []string{"input", "target"} {
				if c.Fixed == name {
					in[i], dims[i] = in[i].Index(0), functorch.NotMapped
				}
			}
			loss := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return c.call(x[0], x[1], weight) })
			one := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor {
				logits := x[0]
				if c.Loss == "nll_loss" {
					logits = logits.LogSoftmax(min(logits.Dim()-1, 1))
				}
				return c.call(logits, x[1], weight).Sin().Sum()
			})
			twice := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor {
				return functorch.Grad(one).One(x...).Sin().Sum()
			})
			same(c.Y, functorch.VMap(loss, dims).One(in...), c, "the value")
			same(c.Grad, functorch.VMap(functorch.Grad(one), dims).One(in...), c, "the gradient")
			same(c.Twice, functorch.VMap(functorch.Grad(twice), dims).One(in...), c, "the gradient of the gradient")
			total := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor {
				return functorch.VMap(one, dims).One(x...).Sum()
			})
			same(c.Total, functorch.Grad(total).One(in...), c, "the gradient of the sum")
			if c.Hessian.DType != "" {
				same(c.Hessian, functorch.VMap(functorch.Hessian(one), dims).One(in...), c, "the Hessian")
			}
			x := in[0].Detach().Clone().RequiresGrad_()
			functorch.VMap(one, dims).One(x, in[1]).Sum().Backward()
			same(c.Total, x.Grad(), c, "the backward pass")
			if c.Fixed == "" {
				deep := functorch.VMap(functorch.VMap(functorch.Grad(one))).One(in[0].Unflatten(0, 2, -1),
					in[1].Unflatten(0, 2, -1))
				same(c.Grad, deep.Flatten(0, 1), c, "the gradient within two levels")
			}
		})
	}
}

// Addr under VMap equals Python's, for floats, integers and bools.
func TestAddr(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g, _, want := losses(t)
	torch.Scope(func() {
		in := g.input(t, "y vec whole true")
		a, v := in[0].Index(0).T(), in[1]
		long := func(v *torch.Tensor) *torch.Tensor { return v.Repeat(2).Index(torch.SliceTo(3)) }
		plain := functorch.Of(func(v *torch.Tensor) *torch.Tensor {
			return a.Addr(long(v.Exp()), v, torch.Beta(0.5), torch.Alpha(2))
		})
		got := map[string]*torch.Tensor{
			"plain": functorch.VMap(plain).One(v),
			"grad": functorch.VMap(functorch.Grad(functorch.Of(func(v *torch.Tensor) *torch.Tensor {
				return plain.One(v).Sin().Sum()
			}))).One(v),
			"dropped": functorch.VMap(functorch.Of(func(v *torch.Tensor) *torch.Tensor {
				return a.DivScalar(0).Addr(long(v), v, torch.Beta(0))
			})).One(v),
			"whole": functorch.VMap(functorch.Of(func(v *torch.Tensor) *torch.Tensor {
				return v.Addr(v, v, torch.Beta(2), torch.Alpha(3))
			})).One(in[2]),
			"true": functorch.VMap(functorch.Of(func(v *torch.Tensor) *torch.Tensor { return v.Addr(v, v) })).
				One(in[3]),
		}
		require.Len(t, got, len(want))
		for name, w := range want {
			assert.True(t, torchtest.AllClose(t, tensor(t, w), got[name], rounding), name)
		}
		half := functorch.Of(func(v *torch.Tensor) *torch.Tensor { return v.Addr(v, v, torch.Beta(0.5)) })
		assert.ErrorIs(t, torch.Try(func() { functorch.VMap(half)(in[2]) }), torch.ErrDType)
		assert.ErrorIs(t, torch.Try(func() { functorch.VMap(half)(in[3]) }), torch.ErrDType)
		assert.ErrorIs(t, torch.Try(func() { functorch.VMap(half)(in[0]) }), torch.ErrShape)
	})
}

// Invalid arguments within VMap give the same errors as outside. An example whose labels are all
// ignored has the same loss and gradient as outside.
func TestLossesAtTheEdge(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, weight := torch.Randn(torch.Shape{2, 4, 3}), torch.FromSlice([]float32{0, 1, 2})
		labels := torch.FromSlice([]int64{0, 1, 2, 0, -100, -100, -100, -100}, 2, 4)
		fails := func(kind error, x, labels *torch.Tensor, opts ...F.CrossEntropyOption) {
			t.Helper()
			loss := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor {
				return F.CrossEntropy(x[0], x[1], opts...)
			})
			assert.ErrorIs(t, torch.Try(func() { loss(x.Index(0), labels.Index(0)) }), kind)
			assert.ErrorIs(t, torch.Try(func() { functorch.VMap(functorch.Grad(loss))(x, labels) }), kind)
		}
		fails(torch.ErrIndex, x, labels.AddScalar(1))
		fails(torch.ErrShape, x, labels, F.Weight(weight.Index(torch.SliceTo(2))))
		fails(torch.ErrShape, x.Unsqueeze(-1).Unsqueeze(-1), labels.Unsqueeze(-1).Unsqueeze(-1).Repeat(1, 1, 1, 2))
		for _, reduction := range []F.Reduction{F.ReductionMean, F.ReductionSum, F.ReductionNone} {
			loss := functorch.OfMany(func(in ...*torch.Tensor) *torch.Tensor {
				return F.CrossEntropy(in[0], in[1], F.Weight(weight), reduction).Sum()
			})
			all := functorch.VMap(functorch.GradAndValue(loss))(x, labels)
			for i := range 2 {
				for k, want := range functorch.GradAndValue(loss)(x.Index(i), labels.Index(i)) {
					assert.True(t, torchtest.AllClose(t, want, all[k].Index(i), torchtest.Rounding(64, torch.Float32)),
						"%s, %d", reduction, i)
				}
			}
		}
		bytes := functorch.VMap(functorch.OfMany(func(in ...*torch.Tensor) *torch.Tensor {
			return F.CrossEntropy(in[0], in[1])
		}))
		few := labels.Index(torch.SliceTo(1))
		one := x.Index(torch.SliceTo(1))
		assert.True(t, bytes.One(one, few).Equal(bytes.One(one, few.To(torch.Uint8))))
		halves := functorch.VMap(functorch.Grad(functorch.OfMany(func(in ...*torch.Tensor) *torch.Tensor {
			return F.MSELoss(in[0], in[1])
		})))
		h := x.To(torch.Float16)
		assert.Equal(t, torch.Float16, halves.One(h, h.Neg()).DType())
	})
}

const lossesProcess = "GOTORCH_TEST_VMAP_LOSSES"

// No loss runs once per example, which would give a warning from libtorch. Warnings go to
// standard error, so the test runs in a child process.
func TestLossesRunOnce(t *testing.T) {
	if os.Getenv(lossesProcess) != "" {
		torch.SetWarnings(torch.WarnAlways)
		TestLosses(t)
		TestAddr(t)
		return
	}
	cmd := again.Command("-test.run=^TestLossesRunOnce$")
	cmd.Env = append(os.Environ(), lossesProcess+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	require.NoError(t, cmd.Run(), text.String())
	assert.NotContains(t, strings.ToLower(text.String()), "warning")
}
