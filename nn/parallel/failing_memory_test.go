package parallel_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/failing"
	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// If a pass runs out of memory, it can be repeated after clearing the gradients.
func TestPassOutOfMemory(t *testing.T) {
	for _, err := range ranks.Run(t, 1, func(g *distributed.ProcessGroup) error {
		faults := failing.Sweep(func() failing.Case {
			torch.ManualSeed(1)
			model := nn.NewSequential(nn.NewLinear(4, 3), nn.NewReLU(), nn.NewLinear(3, 2))
			net, err := wrap(g, model)
			require.NoError(t, err)
			return failing.Case{
				Close: []io.Closer{net, model},
				Call: func() error {
					net.ZeroGrad()
					return pass(net)
				},
				State: func() (all []*torch.Tensor) {
					for _, p := range model.Parameters() {
						all = append(all, p, p.Grad())
					}
					return all
				},
			}
		})
		assert.Positive(t, faults.Failed)
		assert.Empty(t, faults.Retried)
		assert.Empty(t, faults.Other)
		return nil
	}) {
		require.NoError(t, err)
	}
}
