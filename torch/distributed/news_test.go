package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// If one rank rejects its arguments, the other ranks fail immediately too, and the group
// continues.
func TestRefusalsAreTold(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	broadcasts := func(ctx context.Context, g *distributed.ProcessGroup, bad bool) error {
		v := "text"
		src := 0
		if bad {
			src = 7
		}
		return g.BroadcastObject(ctx, &v, src)
	}
	scatters := func(ctx context.Context, g *distributed.ProcessGroup, bad bool) error {
		var v string
		var all any
		src := 0
		if bad {
			src = -1
		}
		if g.Rank() == 0 {
			all = []string{"a", "b"}
		}
		return g.ScatterObject(ctx, &v, all, src)
	}
	divides := func(ranks []int,
		opts ...distributed.SubgroupOption,
	) func(ctx context.Context, g *distributed.ProcessGroup, bad bool) error {
		return func(ctx context.Context, g *distributed.ProcessGroup, bad bool) error {
			members, o := []int{0, 1}, []distributed.SubgroupOption(nil)
			if bad {
				members, o = ranks, opts
			}
			sub, err := g.NewGroup(ctx, members, o...)
			return errors.Join(err, sub.Close())
		}
	}
	halves := func(size int,
		opts ...distributed.SubgroupOption,
	) func(ctx context.Context, g *distributed.ProcessGroup, bad bool) error {
		return func(ctx context.Context, g *distributed.ProcessGroup, bad bool) error {
			n, o := 1, []distributed.SubgroupOption(nil)
			if bad {
				n, o = size, opts
			}
			sub, err := g.NewSubgroups(ctx, n, o...)
			return errors.Join(err, sub.Close())
		}
	}
	for _, row := range []struct {
		name  string
		check distributed.Check
		call  func(ctx context.Context, g *distributed.ProcessGroup, bad bool) error
	}{
		{"BroadcastObject", true, broadcasts},
		{"BroadcastObject", false, broadcasts},
		{"ScatterObject", true, scatters},
		{"ScatterObject", false, scatters},
		{"NewGroup of nobody", true, divides(nil)},
		{"NewGroup of a stranger", true, divides([]int{0, 9})},
		{"NewGroup of one twice", true, divides([]int{1, 1})},
		{"NewGroup with no time", true, divides([]int{0, 1}, distributed.Timeout(-1))},
		{"NewSubgroups of three", true, halves(3)},
		{"NewSubgroups of none", true, halves(0)},
		{"NewSubgroups with no time", true, halves(1, distributed.Timeout(-1))},
		{"NewSubgroups of all", true, halves(2)}, // valid, but the other rank passes another size
	} {
		for _, bad := range []int{0, 1} {
			t.Run(fmt.Sprint(row.name, " ", row.check, " ", bad), func(t *testing.T) {
				var refused [2]error
				ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
					ctx := ranks.Soon(t)
					refused[g.Rank()] = row.call(ctx, g, g.Rank() == bad)
					return errors.Join(g.Barrier(ctx), row.call(ctx, g, false))
				}, row.check)
				require.ErrorIs(t, refused[1-bad], distributed.ErrMismatch)
				var e *distributed.Error
				require.ErrorAs(t, refused[1-bad], &e)
				if row.name != "NewSubgroups of all" {
					assert.Equal(t, []int{bad}, e.Ranks)
				}
				if !errors.Is(refused[bad], torch.ErrValue) {
					require.ErrorIs(t, refused[bad], distributed.ErrMismatch)
				}
			})
		}
	}
}

// If all ranks reject their arguments, each returns its own error.
func TestRefusalsOfAll(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		ctx := ranks.Soon(t)
		v := 1
		_, group := g.NewGroup(ctx, []int{5})
		_, half := g.NewSubgroups(ctx, 5)
		for i, err := range []error{g.BroadcastObject(ctx, &v, 5), g.ScatterObject(ctx, &v, nil, 5), group, half} {
			if !errors.Is(err, torch.ErrValue) {
				return fmt.Errorf("call %d: not ErrValue: %w", i, err)
			}
		}
		return g.Barrier(ctx)
	})
}
