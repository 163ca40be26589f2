package distributions_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
	"github.com/gotorch/gotorch/torchtest"
)

// The regions of the parameters equal Python's, for each form of the parameters, and even
// after Expand.
func TestArgConstraints(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var cases []struct {
		Said           said
		ArgConstraints map[string]string `json:"arg_constraints"`
	}
	torchtest.LoadGoldens(t, "testdata/arg_constraints.json").Decode("cases", &cases)
	tried := map[string]bool{}
	for i, c := range cases {
		tried[c.Said.Make] = true
		t.Run(fmt.Sprintf("%s/%d", c.Said.Make, i), func(t *testing.T) {
			torch.Scope(func() {
				d := c.Said.build(t, map[string]*torch.Tensor{}, "").(distributions.Distribution)
				live := torch.NumLiveTensors()
				assert.Equal(t, c.ArgConstraints, printed(d.ArgConstraints()))
				assert.Equal(t, live, torch.NumLiveTensors())
				wide := d.Expand(append(torch.Shape{1}, d.BatchShape()...))
				assert.Len(t, wide.ArgConstraints(), len(c.ArgConstraints))
			})
		})
	}
	eachDistribution(t, func(t *testing.T, c *goldenCase, _ func() distributions.Distribution) {
		assert.True(t, tried[c.Said.Make], "no case in arg_constraints.json")
	})
}

func printed(regions map[string]constraints.Constraint) map[string]string {
	texts := map[string]string{}
	for name, c := range regions {
		texts[name] = c.String()
	}
	return texts
}

// The caller owns the map. A bound that is a parameter is the parameter's tensor.
func TestArgConstraintsAreNew(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		low, high := torch.FromSlice([]float32{0, 1}), torch.FromSlice([]float32{2, 3})
		d := distributions.NewUniform(low, high)
		regions := d.ArgConstraints()
		assert.Same(t, high, regions["low"].(*constraints.Bounded).UpperBound())
		delete(regions, "low")
		assert.Len(t, d.ArgConstraints(), 2)
	})
}
