package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// If Gloo does not support a dtype, the error names the dtype, and the group does not end.
func TestDTypesThatGlooLacks(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	type call = func(ctx context.Context, g *distributed.ProcessGroup, x, both *torch.Tensor) error
	two := func(x *torch.Tensor) []*torch.Tensor { return []*torch.Tensor{x, x} }
	atRoot := func(g *distributed.ProcessGroup, x *torch.Tensor) []*torch.Tensor {
		if g.Rank() == 0 {
			return two(x)
		}
		return nil
	}
	calls := map[string]call{
		"Broadcast": func(ctx context.Context, g *distributed.ProcessGroup, x, _ *torch.Tensor) error {
			return g.Broadcast(ctx, x, 0)
		},
		"BroadcastAsync": func(ctx context.Context, g *distributed.ProcessGroup, x, _ *torch.Tensor) error {
			_, err := g.BroadcastAsync(ctx, x, 0)
			return err
		},
		"AllReduce": func(ctx context.Context, g *distributed.ProcessGroup, x, _ *torch.Tensor) error {
			return g.AllReduce(ctx, x)
		},
		"AllReduceCoalesced": func(ctx context.Context, g *distributed.ProcessGroup, x, _ *torch.Tensor) error {
			return g.AllReduceCoalesced(ctx, two(x))
		},
		"Reduce": func(ctx context.Context, g *distributed.ProcessGroup, x, _ *torch.Tensor) error {
			return g.Reduce(ctx, x, 0)
		},
		"AllGather": func(ctx context.Context, g *distributed.ProcessGroup, x, _ *torch.Tensor) error {
			return g.AllGather(ctx, two(x), x)
		},
		"AllGatherIntoTensor": func(ctx context.Context, g *distributed.ProcessGroup, x, both *torch.Tensor) error {
			return g.AllGatherIntoTensor(ctx, both, x)
		},
		"Gather": func(ctx context.Context, g *distributed.ProcessGroup, x, _ *torch.Tensor) error {
			return g.Gather(ctx, atRoot(g, x), x, 0)
		},
		"Scatter": func(ctx context.Context, g *distributed.ProcessGroup, x, _ *torch.Tensor) error {
			return g.Scatter(ctx, x, atRoot(g, x), 0)
		},
		"ReduceScatter": func(ctx context.Context, g *distributed.ProcessGroup, x, _ *torch.Tensor) error {
			return g.ReduceScatter(ctx, x, two(x))
		},
		"ReduceScatterTensor": func(ctx context.Context, g *distributed.ProcessGroup, x, both *torch.Tensor) error {
			return g.ReduceScatterTensor(ctx, x, both)
		},
		"AllToAll": func(ctx context.Context, g *distributed.ProcessGroup, x, _ *torch.Tensor) error {
			return g.AllToAll(ctx, two(x), two(x))
		},
		"AllToAllSingle": func(ctx context.Context, g *distributed.ProcessGroup, _, both *torch.Tensor) error {
			return g.AllToAllSingle(ctx, both, both)
		},
	}
	for _, check := range []distributed.Check{true, false} {
		ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
			ctx := ranks.Soon(t)
			for _, d := range []torch.DType{
				torch.Int16, torch.Uint16, torch.Uint32, torch.Uint64, torch.Float8E4M3FN,
				torch.Float8E5M2,
			} {
				x, both := torch.Ones(torch.Shape{2}).To(d), torch.Ones(torch.Shape{4}).To(d)
				for _, name := range []string{
					"Broadcast", "BroadcastAsync", "AllReduce", "AllReduceCoalesced", "Reduce", "AllGather",
					"AllGatherIntoTensor", "Gather", "Scatter",
					"ReduceScatter", "ReduceScatterTensor", "AllToAll", "AllToAllSingle",
				} {
					err := calls[name](ctx, g, x, both)
					if !errors.Is(err, torch.ErrDType) || !strings.Contains(err.Error(), d.String()) ||
						!strings.Contains(err.Error(), name) {
						return fmt.Errorf("%s of %v: %w", name, d, err)
					}
				}
				// Operations without arithmetic support all dtypes.
				if g.Rank() == 0 {
					if err := g.Send(ctx, x, 1); err != nil {
						return err
					}
				} else if _, err := g.Recv(ctx, x.Narrow(0, 0, 2), 0); err != nil {
					return err
				}
			}
			sum := torch.Ones(torch.Shape{2})
			return errors.Join(g.AllReduce(ctx, sum), same("the sum", sum, 2, 2))
		}, check)
	}
}

// If only one rank uses an unsupported dtype, the other ranks get an error too.
func TestDTypeThatGlooLacksOnOneRank(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, err := range ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		ctx := ranks.Soon(t)
		d := torch.Float32
		if g.Rank() == 1 {
			d = torch.Int16
		}
		return errors.Join(g.AllReduce(ctx, torch.Ones(torch.Shape{2}, d)), g.Barrier(ctx))
	}) {
		require.ErrorIs(t, err, distributed.ErrMismatch)
		assert.ErrorContains(t, err, "int16")
		require.NotErrorIs(t, err, distributed.ErrClosed, "the group goes on")
	}
}
