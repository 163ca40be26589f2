package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// A rank that gives up waiting can close its group immediately, and no other rank waits
// for it, although the group's timeout is half an hour.
func TestGivingUp(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	cause := map[string]error{"cancelled": context.Canceled, "deadline": context.DeadlineExceeded}
	for name, want := range cause {
		for what, call := range map[string]func(ctx context.Context, g *distributed.ProcessGroup,
			x *torch.Tensor) error{
			"AllReduce": func(ctx context.Context, g *distributed.ProcessGroup, x *torch.Tensor) error {
				return g.AllReduce(ctx, x)
			},
			"Recv": func(ctx context.Context, g *distributed.ProcessGroup, x *torch.Tensor) error {
				_, err := g.Recv(ctx, x, 1)
				return err
			},
			"ReduceScatter": func(ctx context.Context, g *distributed.ProcessGroup, x *torch.Tensor) error {
				return g.ReduceScatter(ctx, x, []*torch.Tensor{x, x})
			},
		} {
			for _, check := range []distributed.Check{true, false} {
				t.Run(fmt.Sprint(name, "/", what, "/check=", check), func(t *testing.T) {
					gaveUp := make(chan struct{})
					start := time.Now()
					errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
						x := torch.Ones(torch.Shape{3})
						if g.Rank() == 1 {
							<-gaveUp
							return g.AllReduce(background, x)
						}
						defer close(gaveUp)
						ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
						defer cancel()
						if name == "cancelled" {
							var stop context.CancelFunc
							ctx, stop = context.WithCancel(background)
							time.AfterFunc(50*time.Millisecond, stop)
						}
						return call(ctx, g, x)
					}, check)
					require.ErrorIs(t, errs[0], want)
					// If the ranks do not compare calls, a late rank may still find the abandoned
					// collective.
					if check {
						require.Error(t, errs[1])
					}
					assert.Less(t, time.Since(start), 30*time.Second)
				})
			}
		}
	}
}

// When a rank that gave up has closed its group, the other ranks know that it gave up. They refuse
// later calls, which would use closing connections.
func TestHeardOfGivingUp(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for range 10 {
		closed := make(chan struct{})
		errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
			x := torch.Ones(torch.Shape{3})
			if g.Rank() == 1 {
				<-closed
				return g.AllReduce(background, x)
			}
			defer close(closed)
			ctx, cancel := context.WithCancel(background)
			defer cancel()
			w, err := g.AllReduceAsync(background, x)
			if err != nil {
				return err
			}
			cancel()
			return errors.Join(w.Wait(ctx), g.Close())
		}, distributed.Check(false))
		require.ErrorIs(t, errs[0], context.Canceled)
		var e *distributed.Error
		require.ErrorAs(t, errs[1], &e)
		require.ErrorIs(t, e.Kind, distributed.ErrClosed)
		require.ErrorContains(t, e, "rank 0 gave up")
	}
}

// Closing a group ends the waiting of other goroutines.
func TestCloseWhileWaiting(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		if g.Rank() == 1 {
			return nil // the caller then closes this rank's group
		}
		x := torch.Ones(torch.Shape{3})
		w, err := g.AllReduceAsync(background, x)
		if err != nil {
			return err
		}
		waited := make(chan error)
		go func() { waited <- w.Wait(background) }()
		_ = g.Close() // never fails
		return <-waited
	}, distributed.Check(false))
	require.Error(t, errs[0])
	require.NoError(t, errs[1])
}

// A monitored barrier ends when its context is canceled, its group is closed, or another
// rank gives up. It does not wait for its time limit.
func TestLeavingAMonitoredBarrier(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, leave := range map[string]func(cancel func(), g *distributed.ProcessGroup){
		"cancelled": func(cancel func(), _ *distributed.ProcessGroup) { cancel() },
		"closed":    func(_ func(), g *distributed.ProcessGroup) { _ = g.Close() },
		"news":      func(func(), *distributed.ProcessGroup) {},
	} {
		t.Run(name, func(t *testing.T) {
			started := time.Now()
			waiting, left := make(chan struct{}), make(chan struct{})
			errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
				ctx, cancel := context.WithCancel(background)
				defer cancel()
				if g.Rank() == 1 {
					<-waiting
					if name == "news" {
						soon, stop := context.WithTimeout(background, 100*time.Millisecond)
						defer stop()
						_, err := g.Recv(soon, torch.Ones(torch.Shape{1}), 0)
						return err
					}
					<-left
					return nil
				}
				defer close(left)
				go func() {
					// leave may run before or during the barrier; the test accepts both.
					time.Sleep(50 * time.Millisecond)
					close(waiting)
					leave(cancel, g)
				}()
				return g.MonitoredBarrier(ctx)
			}, distributed.Check(false))
			switch name {
			case "cancelled":
				require.ErrorIs(t, errs[0], context.Canceled)
				require.ErrorIs(t, errs[0], distributed.ErrCanceled)
			case "closed":
				require.ErrorIs(t, errs[0], distributed.ErrClosed)
			default:
				require.ErrorIs(t, errs[0], distributed.ErrPeer)
			}
			assert.Less(t, time.Since(started), 30*time.Second)
		})
	}
}

// After a rank has given up joining, its store can be closed immediately, although native
// code may use the store for longer.
func TestGivingUpJoining(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for range 20 {
		store, err := distributed.NewHashStore()
		require.NoError(t, err)
		others, err := store.Clone()
		require.NoError(t, err)
		// Native code knows the deadline too, so it runs only a little longer than the
		// test.
		short, stop := context.WithTimeout(background, 200*time.Millisecond)
		ctx, cancel := context.WithCancel(short)
		joined := make(chan error)
		go func() {
			_, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(store),
				distributed.Rank(0), distributed.WorldSize(2))
			joined <- err
		}()
		require.NoError(t, others.Wait(ranks.Soon(t), "0//gotorch/rank/0"))
		cancel()
		require.Error(t, <-joined)
		require.NoError(t, store.Close())
		require.NoError(t, others.Close())
		stop()
	}
}
