package distributions_test

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torchtest"
)

// facts are the properties of a distribution that are not tensors.
type facts struct {
	Repr       string      `json:"repr"`
	Support    string      `json:"support"`
	Batch      torch.Shape `json:"batch_shape"`
	Event      torch.Shape `json:"event_shape"`
	RSample    bool        `json:"has_rsample"`
	Enumerates bool        `json:"has_enumerate_support"`
}

// An answer is what PyTorch returned, with gradients keyed by the name of the leaf.
type answer struct {
	Out          torchtest.Value
	RequiresGrad bool `json:"requires_grad"`
	Grads        map[string]torchtest.Value
}

// A goldenCase is a case written by testdata/cases.py.
type goldenCase struct {
	Said     said
	Facts    facts
	Expanded *facts
	Steps    int
	Value, Q torchtest.Value
	Answers  map[string]*answer
}

// atTheBorder lists the answers whose gradient is the gradient of a clamp at its bound.
// That gradient is 1 in libtorch 2.11, which wrote the golden files, and 0 in 2.15.
var atTheBorder = map[string]bool{
	"Uniform/30 cdf": true, "Chi2/57 mode": true, "Chi2/58 mode": true,
	"Dirichlet/73 mode": true, "Dirichlet/74 mode": true, "Dirichlet/75 mode": true,
	"Independent/21 mode": true, "Pareto/47 variance": true, "Pareto/47 stddev": true,
	"SigmoidTransform/3 inverse": true,
}

// checkGoldens compares the cases of a file with distributions created by the makers.
func checkGoldens(t *testing.T, path string) {
	defer torchtest.CheckLeaks(t)()
	var cases []goldenCase
	torchtest.LoadGoldens(t, path).Decode("cases", &cases)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%s/%d", c.Said.Make, i), func(t *testing.T) {
			torch.Scope(func() { c.check(t) })
		})
	}
}

func (c *goldenCase) check(t *testing.T) {
	leaves := map[string]*torch.Tensor{}
	made := c.Said.build(t, leaves, "")
	d, ok := made.(distributions.Distribution)
	require.True(t, ok, "%T is no distribution", made)
	c.Facts.check(t, d)
	value, q := tensor(t, c.Value), tensor(t, c.Q).RequiresGrad_()
	asked := maps.Clone(leaves)
	if value.IsFloatingPoint() && !d.Support().IsDiscrete() {
		asked["value"] = value.RequiresGrad_()
	}
	c.compare(t, "mean", leaves, d.Mean)
	c.compare(t, "mode", leaves, d.Mode)
	c.compare(t, "variance", leaves, d.Variance)
	c.compare(t, "stddev", leaves, d.StdDev)
	c.compare(t, "entropy", leaves, d.Entropy)
	c.compare(t, "perplexity", leaves, d.Perplexity)
	c.compare(t, "log_prob", asked, func() *torch.Tensor { return d.LogProb(value) })
	c.compare(t, "cdf", asked, func() *torch.Tensor { return d.CDF(value) })
	withQ := maps.Clone(leaves)
	withQ["q"] = q
	c.compare(t, "icdf", withQ, func() *torch.Tensor { return d.ICDF(q) })
	c.compare(t, "enumerate_support", nil, func() *torch.Tensor { return d.EnumerateSupport() })
	c.compare(t, "enumerate_support_once", nil, func() *torch.Tensor {
		return d.EnumerateSupport(distributions.Expand(false))
	})
	c.compareDraws(t, d, leaves)
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
}

// compareDraws compares seeded samples of the distribution and of the expanded
// distribution. On processors other than amd64, libtorch draws exponential numbers, and
// therefore single categories, without MKL's generator, so that only shapes are compared.
func (c *goldenCase) compareDraws(t *testing.T, d distributions.Distribution, leaves map[string]*torch.Tensor) {
	compare := c.compare
	if runtime.GOARCH != "amd64" {
		compare = c.compareShape
	}
	compare(t, "sample", nil, func() *torch.Tensor {
		torch.ManualSeed(0)
		one, more := d.Sample(), d.Sample(distributions.SampleShape{2, 3})
		assert.False(t, more.RequiresGrad(), "a sample has no gradient")
		return torch.Cat([]*torch.Tensor{one.Flatten(), more.Flatten()})
	})
	compare(t, "rsample", leaves, func() *torch.Tensor {
		torch.ManualSeed(1)
		return d.RSample(distributions.SampleShape{2})
	})
	if c.Expanded == nil {
		return
	}
	wide := d.Expand(append(torch.Shape{2}, c.Facts.Batch...))
	defer func() { require.NoError(t, wide.Close()) }()
	c.Expanded.check(t, wide)
	compare(t, "expand.sample", nil, func() *torch.Tensor {
		torch.ManualSeed(2)
		return wide.Sample(distributions.SampleShape{2})
	})
	if drawn := c.Answers["expand.sample"]; drawn != nil {
		c.compare(t, "expand.log_prob", leaves, func() *torch.Tensor { return wide.LogProb(tensor(t, drawn.Out)) })
	}
}

// compareShape is like compare, but does not compare the values.
func (c *goldenCase) compareShape(t *testing.T, name string, _ map[string]*torch.Tensor, fn func() *torch.Tensor) {
	t.Helper()
	if want := c.Answers[name]; want != nil {
		got := fn()
		assert.Equal(t, want.Out.Shape, got.Shape(), name)
		assert.Equal(t, want.Out.DType, got.DType().String(), name)
	}
}

func (f *facts) check(t *testing.T, d distributions.Distribution) {
	assert.Equal(t, f.Repr, d.String())
	assert.Equal(t, f.Support, d.Support().String())
	assert.Equal(t, f.Batch, d.BatchShape())
	assert.Equal(t, f.Event, d.EventShape())
	assert.Equal(t, f.RSample, d.HasRSample())
	assert.Equal(t, f.Enumerates, d.HasEnumerateSupport())
}

// compare compares one answer and the gradients of the leaves. If PyTorch has no answer, fn must
// panic with ErrNotImplemented.
func (c *goldenCase) compare(t *testing.T, name string, leaves map[string]*torch.Tensor, fn func() *torch.Tensor) {
	t.Helper()
	want := c.Answers[name]
	if want == nil {
		assert.ErrorIs(t, torch.Try(func() { fn() }), torch.ErrNotImplemented, name)
		return
	}
	var got *torch.Tensor
	if err := torch.Try(func() { got = fn() }); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	out := tensor(t, want.Out)
	tol := torchtest.Rounding(c.Steps, out.DType())
	tol.EqualNaN = true
	near(t, name, out, got, tol)
	assert.Equal(t, want.RequiresGrad, got.RequiresGrad(), "%s requires gradients", name)
	_, of, _ := strings.Cut(t.Name(), "/")
	if atTheBorder[of+" "+name] && !strings.HasPrefix(torch.Version(), "2.11.") {
		return
	}
	for _, leaf := range slices.Sorted(maps.Keys(want.Grads)) {
		grad := tensor(t, want.Grads[leaf])
		tol := torchtest.Rounding(c.Steps, out.DType(), grad.DType())
		tol.EqualNaN = true
		require.Contains(t, leaves, leaf)
		torch.Scope(func() {
			var g *torch.Tensor
			weights := torch.Linspace(0.5, 1.5, got.Numel(), got.DType()).Reshape(got.Shape()...)
			err := torch.Try(func() {
				g = torch.Grad([]*torch.Tensor{got.Mul(weights).Sum()}, []*torch.Tensor{leaves[leaf]},
					torch.RetainGraph(true))[0]
			})
			if err != nil {
				t.Errorf("%s: gradient of %s: %v", name, leaf, err)
				return
			}
			near(t, name+" gradient of "+leaf, grad, g, tol)
		})
	}
}

func near(t *testing.T, name string, want, got *torch.Tensor, tol torchtest.Tolerance) {
	t.Helper()
	if diff := torchtest.Difference(want, got, tol); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}
