package distributions_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torchtest"
)

// A togetherCase is written by testdata/make_together.py. It has the gradients of a sum of
// several answers of the same distribution.
type togetherCase struct {
	Said  said
	Steps int
	Value torchtest.Value
	Asked []string
	Added []string // the names in Asked whose values have gradients
	Grads map[string]torchtest.Value
	exact bool // whether the goldens are from this libtorch version and a processor with the same capabilities
}

// Python computes some values on first use and keeps them. The order of first uses determines the
// order in which gradients are added, and therefore their last bits.
func TestGradientsTogether(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var cases []togetherCase
	var capability string
	goldens := torchtest.LoadGoldens(t, "testdata/together.json")
	goldens.Decode("cases", &cases)
	goldens.Decode("capability", &capability)
	exact := strings.HasPrefix(torch.Version(), "2.11.") && strings.Contains(torch.BuildInfo(),
		"CPU capability usage: "+capability)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%s/%d", c.Said.Make, i), func(t *testing.T) {
			c.exact = exact
			torch.Scope(func() { c.check(t) })
		})
	}
}

func (c *togetherCase) check(t *testing.T) {
	leaves := map[string]*torch.Tensor{}
	d := c.Said.build(t, leaves, "").(distributions.Distribution)
	value := tensor(t, c.Value)
	ask := map[string]func() *torch.Tensor{
		"mean": d.Mean, "variance": d.Variance, "entropy": d.Entropy,
		"log_prob": func() *torch.Tensor { return d.LogProb(value) },
	}
	var answers []*torch.Tensor
	for _, name := range c.Asked {
		if name == "sample" {
			torch.NoGrad(func() { d.Sample() })
			continue
		}
		var a *torch.Tensor
		err := torch.Try(func() { a = ask[name]() })
		if slices.Contains(c.Added, name) {
			require.NoError(t, err)
			answers = append(answers, a)
		}
	}
	total := torch.Zeros(torch.Shape{})
	for _, a := range answers {
		weights := torch.Linspace(0.5, 1.5, a.Numel(), a.DType()).Reshape(a.Shape()...)
		total = total.Add(a.Mul(weights).Sum())
	}
	for _, name := range slices.Sorted(maps.Keys(c.Grads)) {
		want := tensor(t, c.Grads[name])
		got := torch.Grad([]*torch.Tensor{total}, []*torch.Tensor{leaves[name]}, torch.RetainGraph(true))[0]
		near(t, "gradient of "+name, want, got, c.tolerance(want.DType()))
	}
}

// tolerance is zero for log_prob and entropy, which call the same operators as Python in the same
// order. Mean returns a new tensor where Python returns a parameter, which changes the order.
func (c *togetherCase) tolerance(dtype torch.DType) torchtest.Tolerance {
	tol := torchtest.Tolerance{}
	if !c.exact || slices.Contains(c.Asked, "mean") {
		tol = torchtest.Rounding(c.Steps*len(c.Added), dtype)
	}
	tol.EqualNaN = true
	return tol
}
