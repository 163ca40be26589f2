package distributions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
)

// The leak check attributes a distribution's tensors to the program's line that called the
// method, even through a method value.
func TestLinesOfDistributions(t *testing.T) {
	eachDistribution(t, func(t *testing.T, c *goldenCase, fresh func() distributions.Distribution) {
		value, q := tensor(t, c.Value), tensor(t, c.Q)
		check := memory.StartLeakCheck()
		for name, call := range calls(fresh(), value, q) {
			before := len(memory.LiveTensors())
			_ = torch.Try(func() { call() })
			for _, x := range memory.LiveTensors()[before:] {
				assert.Contains(t, x.Line(), "_test.go:", name)
			}
		}
		for _, x := range check.Stop().Tensors {
			assert.Contains(t, x.Line(), "_test.go:")
		}
	})
}
