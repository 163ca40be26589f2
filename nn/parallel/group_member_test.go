package parallel_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// The process must be a member of the module's group. Otherwise the module would train without
// averaging.
func TestNoMember(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		sub, err := g.NewGroup(ranks.Soon(t), []int{0})
		if err != nil || g.Rank() == 0 {
			return errors.Join(err, sub.Close())
		}
		model := nn.NewBatchNorm1d(2)
		defer model.Close()
		_, err = parallel.NewDistributedDataParallel(ranks.Soon(t), model, sub)
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorContains(t, err, "argument g: this process is not a member of the group")
		err = torch.Try(func() { parallel.ConvertSyncBatchNorm(model, sub) })
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorContains(t, err,
			"parallel.ConvertSyncBatchNorm: argument g: this process is not a member of the group")
		return nil
	})
}
