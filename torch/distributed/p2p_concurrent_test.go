package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// Messages of a monitored barrier are not mixed up with the program's messages, whatever
// their tags.
func TestMonitoredBarrierBesideTags(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const tags = 12
	for _, check := range []distributed.Check{true, false} {
		t.Run(fmt.Sprint(check), func(t *testing.T) {
			ranks.AllWell(t, 3, func(g *distributed.ProcessGroup) error {
				ctx := ranks.Soon(t)
				barriers := func() error {
					return errors.Join(g.MonitoredBarrier(ctx), g.MonitoredBarrier(ctx, distributed.WaitAllRanks(true)),
						g.Barrier(ctx), g.MonitoredBarrier(ctx))
				}
				if g.Rank() != 0 {
					var works []*distributed.Work
					for tag := range tags {
						w, err := g.ISend(ctx, torch.Full(torch.Shape{100}, float64(100*g.Rank()+tag)), 0,
							distributed.Tag(tag))
						if err != nil {
							return err
						}
						works = append(works, w)
					}
					err := barriers()
					for _, w := range works {
						err = errors.Join(err, w.Wait(ctx))
					}
					return errors.Join(err, g.Barrier(ctx))
				}
				if err := barriers(); err != nil {
					return err
				}
				x := torch.Zeros(torch.Shape{100})
				for from := 1; from < 3; from++ {
					for tag := range tags {
						_, err := g.Recv(ctx, x, from, distributed.Tag(tag))
						if err := errors.Join(err,
							same("what was sent", x.Narrow(0, 0, 1), float32(100*from+tag))); err != nil {
							return err
						}
					}
				}
				return g.Barrier(ctx)
			}, check)
		})
	}
}

// The error of a monitored barrier names the missing ranks, and the group ends.
func TestWhoDidNotComeToTheBarrier(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, row := range []struct {
		all    bool
		absent []int
		want   map[int][]int
	}{
		{false, []int{1, 2}, map[int][]int{0: {1}, 3: {0}}},
		{true, []int{1, 2}, map[int][]int{0: {1, 2}, 3: {0}}},
		{true, []int{0}, map[int][]int{1: {0}, 2: {0}, 3: {0}}},
	} {
		t.Run(fmt.Sprint(row.all, row.absent), func(t *testing.T) {
			var there sync.WaitGroup
			there.Add(len(row.want))
			errs := ranks.Run(t, 4, func(g *distributed.ProcessGroup) error {
				together := g.Barrier(background) // so that all ranks begin at about the same time
				if row.want[g.Rank()] == nil {
					there.Wait()
					return together
				}
				defer there.Done()
				ctx, cancel := context.WithTimeout(background, time.Second)
				defer cancel()
				err := g.MonitoredBarrier(ctx, distributed.WaitAllRanks(row.all))
				var e *distributed.Error
				if assert.ErrorAs(t, err, &e) {
					assert.Equal(t, row.want[g.Rank()], e.Ranks, "rank %d: %v", g.Rank(), e)
				}
				assert.ErrorIs(t, g.Barrier(background), distributed.ErrClosed)
				return err
			})
			for r, err := range errs {
				if row.want[r] != nil {
					require.ErrorIs(t, err, distributed.ErrTimeout)
				}
			}
		})
	}
}

// The group uses libtorch's own barrier if some ranks may not be Go processes. The barrier fails
// while this rank has pending sends or receives.
func TestBarrierOfLibtorchBesideTags(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		distributed.AmongOthers(g)
		ctx, x := ranks.Soon(t), torch.Ones(torch.Shape{100})
		begin := g.ISend
		if g.Rank() == 1 {
			begin = g.IRecv
		}
		w, err := begin(ctx, x, 1-g.Rank(), distributed.Tag(0))
		if err != nil {
			return err
		}
		if err := g.MonitoredBarrier(ctx); !errors.Is(err, torch.ErrValue) {
			return fmt.Errorf("not ErrValue: %w", err)
		}
		return errors.Join(w.Wait(ctx), g.MonitoredBarrier(ctx), g.Barrier(ctx))
	}, distributed.Check(false))
}

// The timeout of a receive is independent of the timeout for joining.
func TestReceiveAfterAShortTimeToJoin(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	store, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer store.Close()
	ctx, cancel := context.WithTimeout(background, 2*time.Second)
	defer cancel()
	errs := make([]error, 2)
	var all sync.WaitGroup
	for r := range 2 {
		all.Go(func() {
			g, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(store),
				distributed.Rank(r), distributed.WorldSize(2))
			if err != nil {
				errs[r] = err
				return
			}
			defer g.Close()
			x := torch.Ones(torch.Shape{2})
			defer x.Close()
			if r == 0 {
				_, errs[r] = g.Recv(background, x, 1)
			} else {
				<-ctx.Done() // wait until the time for joining is over, and a little longer
				time.Sleep(500 * time.Millisecond)
				errs[r] = g.Send(background, x, 0)
			}
			errs[r] = errors.Join(errs[r], g.Barrier(ranks.Soon(t)))
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
}

// RecvObject does not mistake a number sent by Send for the size of an object.
func TestReceivingANumberAsAnObject(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, check := range []distributed.Check{true, false} {
		for _, n := range []int64{0, 5, -5, 1 << 60} {
			ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
				ctx := ranks.Soon(t)
				if g.Rank() == 0 {
					return errors.Join(g.Send(ctx, torch.FromSlice([]int64{n}), 1), g.SendObject(ctx, "text", 1))
				}
				var text string
				_, err := g.RecvObject(ctx, &text, 0)
				var e *distributed.Error
				if !errors.As(err, &e) || !errors.Is(e, distributed.ErrMismatch) {
					return fmt.Errorf("not ErrMismatch: %w", err)
				}
				assert.Equal(t, []int{0}, e.Ranks)
				assert.ErrorContains(t, err, fmt.Sprintf("sent the number %d by Send", n))
				from, err := g.RecvObject(ctx, &text, 0)
				assert.Equal(t, "text", text)
				assert.Equal(t, 0, from)
				return err
			}, check)
		}
	}
}
