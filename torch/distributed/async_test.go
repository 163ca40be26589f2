package distributed_test

import (
	"context"
	"errors"
	"os"
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

// An asynchronous collective does not wait for the other ranks, even if they compare calls. In this
// test the other rank calls the collective only after it has received a message from this one.
func TestAsyncDoesNotWaitForOthers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, begin := range map[string]func(ctx context.Context, g *distributed.ProcessGroup,
		x *torch.Tensor) (*distributed.Work, error){
		"AllReduceAsync": func(ctx context.Context, g *distributed.ProcessGroup,
			x *torch.Tensor,
		) (*distributed.Work, error) {
			return g.AllReduceAsync(ctx, x)
		},
		"AllToAllAsync": func(ctx context.Context, g *distributed.ProcessGroup,
			x *torch.Tensor,
		) (*distributed.Work, error) {
			one, two := x.Clone(), x.Clone()
			return g.AllToAllAsync(ctx, []*torch.Tensor{one, two}, []*torch.Tensor{one.Clone(), two.Clone()})
		},
	} {
		t.Run(name, func(t *testing.T) {
			ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
				require.True(t, g.Checked())
				ctx := ranks.Soon(t)
				x, note := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{1})
				if g.Rank() == 1 {
					if _, err := g.Recv(ctx, note, 0); err != nil {
						return err
					}
				}
				w, err := begin(ctx, g, x)
				if err != nil {
					return err
				}
				assert.NoError(t, x.Close()) // allowed, because the Work keeps the tensor's memory
				if g.Rank() == 0 {
					if err := g.Send(ctx, note, 1); err != nil {
						return err
					}
				}
				return w.Wait(ctx)
			})
		})
	}
}

// Collectives run in the order in which they begin, whatever the order of the waits.
func TestAsyncKeepsTheOrder(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 3, func(g *distributed.ProcessGroup) error {
		ctx := ranks.Soon(t)
		works := make([]*distributed.Work, 20)
		xs := make([]*torch.Tensor, len(works))
		for i := range works {
			xs[i] = torch.Full(torch.Shape{int64(i + 1)}, float64(i))
			var err error
			if i%3 == g.Rank() { // the ranks wait in different steps
				err = g.AllReduce(ctx, xs[i])
			} else {
				works[i], err = g.AllReduceAsync(ctx, xs[i])
			}
			if err != nil {
				return err
			}
		}
		for i := range works {
			w := works[len(works)-1-i]
			if w == nil {
				continue
			}
			if err := w.Wait(ctx); err != nil {
				return err
			}
			assert.True(t, w.IsCompleted())
		}
		for i, x := range xs {
			assert.InDelta(t, 3*i, x.Select(0, 0).Item(), 0)
		}
		return nil
	})
}

// When AllToAllAsync's Work reports that it is completed, the outputs are filled.
func TestAllToAllCompleted(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		ins := []*torch.Tensor{
			torch.Full(torch.Shape{2}, float64(g.Rank())),
			torch.Full(torch.Shape{2}, float64(g.Rank())),
		}
		outs := []*torch.Tensor{torch.Full(torch.Shape{2}, -1.0), torch.Full(torch.Shape{2}, -1.0)}
		w, err := g.AllToAllAsync(ranks.Soon(t), outs, ins)
		if err != nil {
			return err
		}
		for !w.IsCompleted() {
			time.Sleep(time.Millisecond)
		}
		return errors.Join(same("from 0", outs[0], 0, 0), same("from 1", outs[1], 1, 1), w.Wait(background))
	})
}

// A receive from any rank and a receive from a given rank take one message each, in either order.
// So do two receives from the same rank.
func TestReceivesTogether(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, from := range map[string][3]int{
		"anyone first":       {distributed.AnySource, 0, 0},
		"anyone between":     {0, distributed.AnySource, 0},
		"anyone last":        {0, 0, distributed.AnySource},
		"anyone three times": {distributed.AnySource, distributed.AnySource, distributed.AnySource},
	} {
		t.Run(name, func(t *testing.T) {
			ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
				ctx := ranks.Soon(t)
				for round := range 5 {
					if g.Rank() == 0 {
						for i := range from {
							if err := g.Send(ctx, torch.Full(torch.Shape{100}, float64(10*round+i)), 1); err != nil {
								return err
							}
						}
						continue
					}
					var works [3]*distributed.Work
					var xs [3]*torch.Tensor
					for i, src := range from {
						xs[i] = torch.Zeros(torch.Shape{100})
						var err error
						if works[i], err = g.IRecv(ctx, xs[i], src); err != nil {
							return err
						}
					}
					for i, w := range works {
						if err := w.Wait(ctx); err != nil {
							return err
						}
						assert.InDelta(t, 10*round+i, xs[i].Select(0, 99).Item(), 0)
					}
				}
				return nil
			})
		})
	}
}

// The context of an asynchronous receive applies only while the receive begins. If the
// program gives up waiting, the receive and the group end, and nothing is written to the
// tensor afterwards.
func TestReceiveGivenUp(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, check := range []distributed.Check{true, false} {
		gaveUp := make(chan struct{})
		errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
			x := torch.Zeros(torch.Shape{100})
			if g.Rank() == 0 {
				if err := g.Send(background, x.AddScalar(1), 1); err != nil {
					return err
				}
				<-gaveUp
				for { // until Send fails: the first messages fit in the system's buffers
					if err := g.Send(ranks.Soon(t), x.AddScalar(2), 1); err != nil {
						return err
					}
					time.Sleep(time.Millisecond)
				}
			}
			defer close(gaveUp)
			begins, cancel := context.WithCancel(background)
			w, err := g.IRecv(begins, x, 0)
			cancel()
			if err = errors.Join(err, w.Wait(background), same("received", x.Select(0, 0), 1)); err != nil {
				return err
			}
			chain := make([]*distributed.Work, 3)
			for i := range chain {
				if chain[i], err = g.IRecv(background, x, 0); err != nil {
					return err
				}
			}
			short, stop := context.WithTimeout(background, 50*time.Millisecond)
			defer stop()
			require.ErrorIs(t, chain[1].Wait(short), context.DeadlineExceeded)
			require.Error(t, chain[0].Wait(background))
			require.Error(t, chain[2].Wait(background))
			require.ErrorIs(t, g.AllReduce(background, x), distributed.ErrClosed)
			return same("given up", x.Select(0, 0), 1)
		}, check)
		require.NoError(t, errs[1])
		require.Error(t, errs[0])
	}
}

// Waiting until another goroutine's collective has begun respects the context. If the context ends,
// the group stays usable.
func TestTurnsEndWithTheContext(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	gaveUp := make(chan struct{})
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		x := torch.Ones(torch.Shape{2})
		if g.Rank() == 1 {
			<-gaveUp
			return g.AllReduce(ranks.Soon(t), x)
		}
		first, err := g.AllReduceAsync(ranks.Soon(t), x)
		if err != nil {
			return err
		}
		for name, late := range map[string]func(ctx context.Context) error{
			"AllReduce":        func(ctx context.Context) error { return g.AllReduce(ctx, torch.Ones(torch.Shape{2})) },
			"MonitoredBarrier": func(ctx context.Context) error { return g.MonitoredBarrier(ctx) },
		} {
			ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
			err := late(ctx)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded, name)
			require.ErrorIs(t, err, distributed.ErrTimeout, name)
		}
		close(gaveUp)
		return errors.Join(first.Wait(ranks.Soon(t)), same("the first", x, 2, 2))
	})
}

// If the group ends while collectives begin, they fail long before the group's timeout.
func TestBeginningWhileTheGroupEnds(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for range 5 {
		started := time.Now()
		ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
			ctx, cancel := context.WithCancel(background)
			defer cancel()
			if g.Rank() == 1 {
				return g.Barrier(ctx)
			}
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					x := torch.Ones(torch.Shape{1})
					defer x.Close()
					for {
						w, err := g.AllReduceAsync(background, x)
						if err != nil || w.Wait(background) != nil {
							return
						}
					}
				})
			}
			w, err := g.IRecv(background, torch.Ones(torch.Shape{1}), 1)
			assert.NoError(t, err)
			time.Sleep(time.Millisecond) // vary the moment at which the collective begins
			given, stop := context.WithCancel(background)
			stop()
			assert.Error(t, w.Wait(given)) // ends the group
			all.Wait()
			return nil
		}, distributed.Check(false), distributed.Timeout(time.Hour))
		require.Less(t, time.Since(started), 30*time.Second)
	}
}

// If ranks have connected but fail to join, the group leaves no threads behind.
func TestJoiningHalfWay(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	threads := func() int {
		all, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Skip(err)
		}
		return len(all)
	}
	attempt := func() {
		store, err := distributed.NewHashStore()
		require.NoError(t, err)
		defer store.Close()
		// Add 100 to the count of joined ranks, so that no rank finds that it is the last
		// one.
		_, err = store.Add("0//gotorch/joined", 100)
		require.NoError(t, err)
		var all sync.WaitGroup
		for r := range 2 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(background, 200*time.Millisecond)
				defer cancel()
				_, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(store),
					distributed.Rank(r), distributed.WorldSize(2))
				assert.ErrorIs(t, err, distributed.ErrTimeout)
			})
		}
		all.Wait()
	}
	attempt() // the first attempt also starts threads that Go keeps
	before := threads()
	for range 10 {
		attempt()
	}
	// Each attempt starts six threads, 60 in total by now. They end in the background.
	require.Eventually(t, func() bool { return threads() < before+20 }, time.Minute, 10*time.Millisecond)
}

// Every call of a rank that is not in a group returns an error.
func TestNoMember(t *testing.T) {
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		sub, err := g.NewGroup(ranks.Soon(t), []int{0})
		if err != nil || g.Rank() == 0 {
			return errors.Join(err, sub.Close())
		}
		x := torch.Ones(torch.Shape{1})
		for _, err := range []error{
			sub.AllReduce(background, x), sub.MonitoredBarrier(background),
			sub.Send(background, x, 0),
		} {
			require.ErrorIs(t, err, distributed.ErrClosed)
			require.ErrorContains(t, err, "rank 1 is not a member of the group, which has 0")
		}
		return sub.Close()
	})
}

// Methods of nil groups, nil works and their zero values return errors.
func TestNilReceivers(t *testing.T) {
	var g *distributed.ProcessGroup
	var s *distributed.Store
	var w *distributed.Work
	for name, fn := range map[string]func(){
		"Rank": func() { g.Rank() }, "Size": func() { g.Size() }, "Ranks": func() { g.Ranks() }, "Backend": func() {
			g.Backend()
		},
		"GlobalRank": func() { g.GlobalRank(0) }, "GroupRank": func() { g.GroupRank(0) }, "Timeout": func() {
			g.Timeout()
		},
		"Checked": func() { g.Checked() }, "Port": func() { s.Port() }, "Store.Timeout": func() { s.Timeout() },
		"IsCompleted": func() { w.IsCompleted() }, "IsCompleted of none": func() {
			new(distributed.Work).IsCompleted()
		},
	} {
		require.ErrorIs(t, torch.Try(fn), torch.ErrNil, name)
	}
	for range 2 {
		require.ErrorIs(t, w.Wait(background), torch.ErrNil)
		require.ErrorIs(t, new(distributed.Work).Wait(background), torch.ErrNil)
	}
}

// Ranks that create a group with different ranks get an error.
func TestNewGroupsThatDiffer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for r, err := range ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		_, err := g.NewGroup(ranks.Soon(t), []int{g.Rank()})
		return err
	}) {
		require.ErrorIs(t, err, distributed.ErrMismatch, "rank %d", r)
	}
}

// The error of a rank that waits for others names the missing ranks.
func TestRanksThatDoNotCome(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	store, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer store.Close()
	var all sync.WaitGroup
	for _, r := range []int{0, 2} { // two of four ranks
		all.Go(func() {
			ctx, cancel := context.WithTimeout(background, 2*time.Second)
			defer cancel()
			_, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(store),
				distributed.Rank(r), distributed.WorldSize(4))
			var e *distributed.Error
			if assert.ErrorAs(t, err, &e) {
				assert.ErrorIs(t, err, distributed.ErrTimeout)
				assert.Equal(t, []int{1, 3}, e.Ranks)
				assert.ErrorContains(t, err, "of 4 ranks, these have not joined")
			}
		})
	}
	all.Wait()
}

// If the context has ended or a tensor is closed, the call itself returns an error, and
// the group stays usable.
func TestAsyncRefusesAtOnce(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ended, cancel := context.WithCancel(background)
	cancel()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		x, closed := torch.Ones(torch.Shape{1}), torch.Ones(torch.Shape{1})
		assert.NoError(t, closed.Close())
		_, err := g.IRecv(ended, x, 1-g.Rank())
		require.ErrorIs(t, err, context.Canceled)
		_, err = g.AllReduceAsync(ended, x)
		require.ErrorIs(t, err, context.Canceled)
		_, err = g.IRecv(background, closed, 1-g.Rank())
		require.ErrorIs(t, err, torch.ErrClosed)
		_, err = g.AllReduceAsync(ranks.Soon(t), closed) // fails on both ranks
		require.ErrorIs(t, err, torch.ErrClosed)
		return g.AllReduce(ranks.Soon(t), x)
	})
}
