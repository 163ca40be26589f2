package parallel_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// The context of a module applies to its converted layers, in Forward and in Backward,
// even if they were converted after SetContext. The rank that is waiting for the other
// rank fails too.
func TestSyncBatchNormContext(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, check := range []distributed.Check{true, false} {
		for name, row := range map[string]struct{ backward, late bool }{
			"Forward": {false, false}, "Backward": {true, false}, "Forward of one converted later": {false, true},
		} {
			t.Run(name, func(t *testing.T) {
				ended := make(chan struct{})
				errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
					model := nn.NewSequential(nn.NewLinear(2, 2), nn.NewBatchNorm1d(2))
					defer model.Close()
					if !row.late {
						parallel.ConvertSyncBatchNorm(model, g)
					}
					net, err := parallel.NewDistributedDataParallel(ranks.Soon(t), model, g,
						parallel.BroadcastBuffers(false))
					if err != nil {
						return err
					}
					defer net.Release()
					ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
					defer cancel()
					meets := func() {
						if g.Rank() == 1 {
							<-ended
						} else {
							net.SetContext(ctx)
						}
					}
					if g.Rank() == 0 {
						defer close(ended)
					}
					if !row.backward {
						meets()
					}
					if row.late {
						parallel.ConvertSyncBatchNorm(model, g)
					}
					return torch.Try(func() {
						loss := net.Forward(torch.Randn(torch.Shape{3, 2})).Square().Sum()
						if row.backward {
							meets()
						}
						loss.Backward()
					})
				}, check)
				require.ErrorIs(t, errs[0], distributed.ErrTimeout)
				require.ErrorIs(t, errs[0], context.DeadlineExceeded)
				require.ErrorContains(t, errs[0], "parallel.ConvertSyncBatchNorm")
				var e *distributed.Error
				require.ErrorAs(t, errs[1], &e)
			})
		}
	}
}
