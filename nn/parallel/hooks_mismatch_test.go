package parallel_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// hookedStep runs one step of a network on each rank. The hook is registered only on the
// ranks for which wants returns true.
func hookedStep(t *testing.T, wants func(rank int) bool, hook distributed.CommHook) []error {
	return ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		model := nn.NewLinear(4, 1)
		defer model.Close()
		net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g)
		if err != nil {
			return err
		}
		defer net.Release()
		if wants(g.Rank()) {
			if err := net.RegisterCommHook(hook); err != nil {
				return err
			}
		}
		return torch.Try(func() {
			torch.Scope(func() { net.Forward(torch.Ones(torch.Shape{2, 4})).Sum().Backward() })
		})
	})
}

func TestHookOnOneRankAlone(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, err := range hookedStep(t, func(rank int) bool { return rank == 0 }, parallel.AllReduceHook) {
		require.ErrorIs(t, err, distributed.ErrMismatch)
		assert.ErrorContains(t, err, "a hook of communication")
	}
}

// A hook's result must be contiguous. Otherwise its memory would be read with the wrong strides.
func TestHookWithStrides(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, err := range hookedStep(t, func(int) bool { return true },
		func(_ context.Context, b *distributed.GradBucket) (func(context.Context) (*torch.Tensor, error), error) {
			return func(context.Context) (*torch.Tensor, error) {
				return torch.Ones(torch.Shape{b.Buffer().Numel(), 2}).Select(1, 0), nil
			}, nil
		}) {
		require.ErrorContains(t, err, "returned a tensor that is not one block of memory")
	}
}
