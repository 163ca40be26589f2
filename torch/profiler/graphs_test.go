package profiler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
)

// A profile contains the operators that a replay runs, and not those that it skips.
func TestReplaysAreProfiled(t *testing.T) {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{4, 4})
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.MatMul(x).View(16).Tanh()} })
		defer g.Close()
		g.Replay() // the first replay checks the step, and runs it without the graph
		p, err := profiler.Run(func(*profiler.Profile) {
			for range 3 {
				g.Replay()
			}
		})
		require.NoError(t, err)
		counts := map[string]int{}
		for _, e := range p.Events().Events {
			counts[e.Name]++
		}
		assert.Equal(t, 3, counts["aten::mm"])
		assert.Equal(t, 3, counts["aten::tanh"])
		assert.Zero(t, counts["aten::view"])
		assert.Zero(t, counts["aten::matmul"])
		assert.Contains(t, p.KeyAverages().Table(), "aten::tanh")
	})
}
