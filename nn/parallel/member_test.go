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
	"github.com/gotorch/gotorch/torch/distributed/join"
	"github.com/gotorch/gotorch/torchtest"
)

// A group that the process is no member of would train it without any average.
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
		require.ErrorContains(t, err, "no member")
		require.ErrorIs(t, torch.Try(func() { parallel.ConvertSyncBatchNorm(model, sub) }), torch.ErrValue)
		return nil
	})
}

// A name to ignore that the module does not have was meant for another one.
func TestIgnoreUnknown(t *testing.T) {
	for r, err := range ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		model := nn.NewBatchNorm1d(2)
		defer model.Close()
		_, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g, parallel.Ignore{"wieght"})
		return err
	}) {
		require.ErrorIs(t, err, torch.ErrValue, "rank %d", r)
		require.ErrorContains(t, err, `"wieght"`)
	}
}

func TestNilModule(t *testing.T) {
	var net *parallel.DistributedDataParallel
	require.ErrorIs(t, torch.Try(func() { net.Group() }), torch.ErrNil)
	require.ErrorIs(t, net.Join(background, func() error { return nil }), torch.ErrNil)
	require.ErrorIs(t, join.Join(background, []join.Joinable{net}, func() error { return nil }), torch.ErrNil)
}
