package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// form is the dtype and shape of a rank's tensors in a collective.
type form struct {
	shape torch.Shape
	dtype torch.DType
}

func (f form) one() *torch.Tensor { return torch.Zeros(f.shape, f.dtype) }

// whole returns a tensor with as many elements as the tensors of all ranks together.
func (f form) whole(g *distributed.ProcessGroup) *torch.Tensor {
	return torch.Zeros(append(torch.Shape{int64(g.Size())}, f.shape...), f.dtype)
}

func (f form) list(g *distributed.ProcessGroup) []*torch.Tensor {
	var all []*torch.Tensor
	for range g.Size() {
		all = append(all, f.one())
	}
	return all
}

// at returns one tensor per rank on rank root, and nil on the other ranks.
func (f form) at(g *distributed.ProcessGroup, root int) []*torch.Tensor {
	if g.Rank() != root {
		return nil
	}
	return f.list(g)
}

func finish(ctx context.Context, w *distributed.Work, err error) error {
	if err != nil {
		return err
	}
	return w.Wait(ctx)
}

// collectives lists the collectives that take tensors. Each function calls one of them
// with tensors of a form.
var collectives = map[string]func(ctx context.Context, g *distributed.ProcessGroup, f form) error{
	"AllReduce": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		return g.AllReduce(ctx, f.one())
	},
	"AllReduceCoalesced": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		return g.AllReduceCoalesced(ctx, f.list(g))
	},
	"Broadcast": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		return g.Broadcast(ctx, f.one(), 1)
	},
	"Reduce": func(ctx context.Context, g *distributed.ProcessGroup, f form) error { return g.Reduce(ctx, f.one(), 1) },
	"AllGather": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		return g.AllGather(ctx, f.list(g), f.one())
	},
	"AllGatherIntoTensor": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		return g.AllGatherIntoTensor(ctx, f.whole(g), f.one())
	},
	"Gather": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		return g.Gather(ctx, f.at(g, 1), f.one(), 1)
	},
	"Scatter": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		return g.Scatter(ctx, f.one(), f.at(g, 1), 1)
	},
	"ReduceScatter": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		return g.ReduceScatter(ctx, f.one(), f.list(g))
	},
	"ReduceScatterTensor": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		return g.ReduceScatterTensor(ctx, f.one(), f.whole(g))
	},
	"AllToAll": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		return g.AllToAll(ctx, f.list(g), f.list(g))
	},
	"AllToAllSingle": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		return g.AllToAllSingle(ctx, f.whole(g), f.whole(g))
	},
	"AllReduceAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.AllReduceAsync(ctx, f.one())
		return finish(ctx, w, err)
	},
	"AllReduceCoalescedAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.AllReduceCoalescedAsync(ctx, f.list(g))
		return finish(ctx, w, err)
	},
	"BroadcastAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.BroadcastAsync(ctx, f.one(), 1)
		return finish(ctx, w, err)
	},
	"ReduceAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.ReduceAsync(ctx, f.one(), 1)
		return finish(ctx, w, err)
	},
	"AllGatherAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.AllGatherAsync(ctx, f.list(g), f.one())
		return finish(ctx, w, err)
	},
	"AllGatherIntoTensorAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.AllGatherIntoTensorAsync(ctx, f.whole(g), f.one())
		return finish(ctx, w, err)
	},
	"GatherAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.GatherAsync(ctx, f.at(g, 1), f.one(), 1)
		return finish(ctx, w, err)
	},
	"ScatterAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.ScatterAsync(ctx, f.one(), f.at(g, 1), 1)
		return finish(ctx, w, err)
	},
	"ReduceScatterAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.ReduceScatterAsync(ctx, f.one(), f.list(g))
		return finish(ctx, w, err)
	},
	"ReduceScatterTensorAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.ReduceScatterTensorAsync(ctx, f.one(), f.whole(g))
		return finish(ctx, w, err)
	},
	"AllToAllAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.AllToAllAsync(ctx, f.list(g), f.list(g))
		return finish(ctx, w, err)
	},
	"AllToAllSingleAsync": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
		w, err := g.AllToAllSingleAsync(ctx, f.whole(g), f.whole(g))
		return finish(ctx, w, err)
	},
}

// If a rank's tensors differ, each collective detects that on all ranks, and the group stays
// usable. Otherwise tensors of equal size would be mixed up silently.
func TestTensorsDiffer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	usual := form{torch.Shape{4}, torch.Float32}
	for _, row := range []struct {
		name string
		odd  form
	}{
		{"more elements", form{torch.Shape{5}, torch.Float32}},
		{"as many elements in another shape", form{torch.Shape{2, 2}, torch.Float32}},
		{"a dtype of as many bytes", form{torch.Shape{4}, torch.Int32}},
		{"a larger dtype", form{torch.Shape{4}, torch.Float64}},
	} {
		for name, call := range collectives {
			if row.name == "as many elements in another shape" && (name == "AllToAll" || name == "AllToAllAsync") {
				continue // this collective compares only the number of elements
			}
			t.Run(name+"/"+row.name, func(t *testing.T) {
				var differ [3]error
				ranks.AllWell(t, 3, func(g *distributed.ProcessGroup) error {
					ctx, f := ranks.Soon(t), usual
					if g.Rank() == 2 {
						f = row.odd
					}
					differ[g.Rank()] = call(ctx, g, f)
					return call(ctx, g, usual)
				})
				for r, err := range differ {
					require.ErrorIs(t, err, distributed.ErrMismatch, "rank %d", r)
					var e *distributed.Error
					require.ErrorAs(t, err, &e)
					assert.Equal(t, r, e.Rank)
					assert.Contains(t, e.Ranks, 2, err)
				}
			})
		}
	}
}

// After Close each collective returns ErrClosed, on all ranks.
func TestCollectivesAfterClose(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		if err := g.Close(); err != nil {
			return err
		}
		calls := map[string]func(ctx context.Context, g *distributed.ProcessGroup, f form) error{
			"Barrier": func(ctx context.Context, g *distributed.ProcessGroup, _ form) error { return g.Barrier(ctx) },
			"MonitoredBarrier": func(ctx context.Context, g *distributed.ProcessGroup, _ form) error {
				return g.MonitoredBarrier(ctx)
			},
			"Send": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
				return g.Send(ctx, f.one(), 1-g.Rank())
			},
			"Recv": func(ctx context.Context, g *distributed.ProcessGroup, f form) error {
				_, err := g.Recv(ctx, f.one(), 1-g.Rank())
				return err
			},
			"NewGroup": func(ctx context.Context, g *distributed.ProcessGroup, _ form) error {
				_, err := g.NewGroup(ctx, []int{0, 1})
				return err
			},
			"AllGatherObject": func(ctx context.Context, g *distributed.ProcessGroup, _ form) error {
				var all []int
				return g.AllGatherObject(ctx, 1, &all)
			},
		}
		for _, all := range []map[string]func(ctx context.Context, g *distributed.ProcessGroup,
			f form) error{collectives, calls} {
			for name, call := range all {
				err := call(ranks.Soon(t), g, form{torch.Shape{4}, torch.Float32})
				if !errors.Is(err, distributed.ErrClosed) {
					return fmt.Errorf("%s: not ErrClosed: %w", name, err)
				}
				var e *distributed.Error
				if !errors.As(err, &e) || e.Rank != g.Rank() || e.World != 2 {
					return fmt.Errorf("%s: not rank %d of 2: %w", name, g.Rank(), err)
				}
			}
		}
		return nil
	})
}

// If the port is in use, the rank that runs the store's server gets ErrInUse, and the
// others time out.
func TestPortInUse(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, err = distributed.NewTCPStore(ranks.Soon(t), l.Addr().String(), distributed.IsMaster(true))
	require.ErrorIs(t, err, distributed.ErrInUse)
	ctx, cancel := context.WithTimeout(background, time.Second)
	defer cancel()
	for r, kind := range []error{distributed.ErrInUse, distributed.ErrTimeout} {
		_, err := distributed.InitProcessGroup(ctx, distributed.Gloo,
			distributed.InitMethod("tcp://"+l.Addr().String()), distributed.Rank(r), distributed.WorldSize(2))
		require.ErrorIs(t, err, kind, "rank %d", r)
		var e *distributed.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, r, e.Rank)
		assert.Equal(t, 2, e.World)
	}
}
