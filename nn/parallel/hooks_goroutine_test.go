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

// A hook may send gradients from its own goroutine while the backward pass continues.
func TestHookOnAGoroutine(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		model := nn.NewSequential(nn.NewLinear(4, 4), nn.NewLinear(4, 2))
		defer model.Close()
		net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g)
		if err != nil {
			return err
		}
		defer net.Release()
		require.NoError(t,
			net.RegisterCommHook(func(ctx context.Context,
				b *distributed.GradBucket,
			) (func(context.Context) (*torch.Tensor, error), error) {
				x := b.Buffer()
				done := make(chan error, 1)
				go func() { done <- b.Group().AllReduce(ctx, x, distributed.Avg) }()
				return func(context.Context) (*torch.Tensor, error) { return x, <-done }, nil
			}))
		for range 3 {
			net.Forward(torch.Full(torch.Shape{1, 4}, float64(g.Rank()))).Sum().Backward()
			assert.InDelta(t, 1, model.Parameters()[3].Grad().Select(0, 0).Item(), 0)
			for _, p := range model.Parameters() {
				p.SetGrad(nil)
			}
		}
		return nil
	})
}
