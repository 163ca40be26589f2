package distributed_test

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

func init() {
	roles["send"] = halfSent(func(ctx context.Context, g *distributed.ProcessGroup, x *torch.Tensor) error {
		return g.Send(ctx, x, 1)
	},
		func(ctx context.Context, g *distributed.ProcessGroup, x *torch.Tensor) (*distributed.Work, error) {
			return g.IRecv(ctx, x, 0)
		})
	roles["broadcast"] = halfSent(func(ctx context.Context, g *distributed.ProcessGroup, x *torch.Tensor) error {
		return g.Broadcast(ctx, x, 0)
	},
		func(ctx context.Context, g *distributed.ProcessGroup, x *torch.Tensor) (*distributed.Work, error) {
			return g.BroadcastAsync(ctx, x, 0)
		})
}

// halfSent returns a program for the ranks: rank 0 sends more than a connection can
// buffer, and rank 1 stops after it has received the first part.
func halfSent(send func(context.Context, *distributed.ProcessGroup, *torch.Tensor) error,
	receive func(context.Context, *distributed.ProcessGroup, *torch.Tensor) (*distributed.Work, error),
) func(ctx context.Context, g *distributed.ProcessGroup) (any, error) {
	return func(ctx context.Context, g *distributed.ProcessGroup) (any, error) {
		x := torch.Full(torch.Shape{16 << 20}, float64(1-g.Rank()))
		defer func() { _ = x.Close() }()
		if err := g.Barrier(ctx); err != nil {
			return nil, err
		}
		if g.Rank() == 0 {
			return nil, send(ctx, g, x)
		}
		w, err := receive(ctx, g, x)
		if err != nil {
			return nil, err
		}
		first := x.Select(0, 0)
		defer func() { _ = first.Close() }()
		for first.Item() == 0 {
			time.Sleep(time.Millisecond)
		}
		fmt.Println("some has come")
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		return nil, w.Wait(ctx)
	}
}

// If a rank is killed while others are sending to it, the error names it, and the group
// can be closed. Gloo alone would report this only after the group's timeout, and Close
// would wait until then.
func TestKilledWhileSentTo(t *testing.T) {
	for _, name := range []string{"send", "broadcast"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both := launch(t, name, 2, byEnvironment(freePort(t), 2))
			both[1].until(t, "some has come")
			require.NoError(t, both[1].cmd.Process.Kill())
			o := both[0].wait(t)
			assert.Contains(t, o.Kinds, distributed.ErrPeer.Error(), o.Error)
			assert.Equal(t, []int{1}, o.Ranks, o.Error)
		})
	}
}

// A rank that has closed its group is not reported as lost, however long the others' operations
// take.
func TestLeftInGoodOrder(t *testing.T) {
	left := make(chan struct{})
	errs := ranks.Run(t, 3, func(g *distributed.ProcessGroup) error {
		ctx := ranks.Soon(t)
		x := torch.Full(torch.Shape{1}, float64(g.Rank()))
		switch g.Rank() {
		case 0: // finishes before the other ranks
			if err := g.Send(ctx, x, 1); err != nil {
				return err
			}
			defer close(left)
			return g.Close()
		case 1:
			if _, err := g.Recv(ctx, x, 0); err != nil {
				return err
			}
			from, err := g.Recv(ctx, x, 2)
			assert.Equal(t, 2, from)
			return err
		default:
			<-left
			time.Sleep(distributed.LostAfter + 2*time.Second) // long enough for several checks of the connections
			return g.Send(ctx, x, 1)
		}
	})
	for r, err := range errs {
		require.NoError(t, err, "rank %d", r)
	}
}
