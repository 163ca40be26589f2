package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
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

// told is the rank and the number of ranks with which a process is started.
type told struct{ rank, world int }

// meetings returns the ways in which ranks can find each other. Each function returns the options
// that a rank passes; a function serves one group only.
func meetings(t *testing.T) map[string]func(told) []distributed.GroupOption {
	t.Helper()
	hash, err := distributed.NewHashStore()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, hash.Close()) })
	address, file := "tcp://127.0.0.1:"+freePort(t), "file://"+filepath.Join(t.TempDir(), "store")
	given := func(r told) []distributed.GroupOption {
		return []distributed.GroupOption{distributed.Rank(r.rank), distributed.WorldSize(r.world)}
	}
	return map[string]func(told) []distributed.GroupOption{
		"tcp":  func(r told) []distributed.GroupOption { return append(given(r), distributed.InitMethod(address)) },
		"file": func(r told) []distributed.GroupOption { return append(given(r), distributed.InitMethod(file)) },
		"hash": func(r told) []distributed.GroupOption { return append(given(r), distributed.WithStore(hash)) },
	}
}

// start joins a group as a rank, and returns a channel that receives the error.
func (r told) start(ctx context.Context, as []distributed.GroupOption) <-chan error {
	ended := make(chan error, 1)
	go func() {
		g, err := distributed.InitProcessGroup(ctx, distributed.Gloo, as...)
		_ = g.Close()
		ended <- err
	}()
	return ended
}

// Ranks that are started with different sizes fail, in any order of arrival, long before the
// timeout.
func TestRanksToldDifferentSizes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var all sync.WaitGroup
	for _, pair := range [][2]told{{{0, 2}, {1, 3}}, {{1, 3}, {0, 2}}, {{0, 3}, {1, 2}}, {{1, 2}, {0, 3}}} {
		for name, as := range meetings(t) {
			all.Go(func() {
				began := time.Now()
				first := pair[0].start(ranks.Soon(t), as(pair[0]))
				time.Sleep(100 * time.Millisecond) // so that the other rank comes later
				second := pair[1].start(ranks.Soon(t), as(pair[1]))
				sizes := map[int]int{pair[0].rank: pair[0].world, pair[1].rank: pair[1].world}
				for i, ended := range []<-chan error{first, second} {
					err := <-ended
					assert.ErrorIs(t, err, distributed.ErrMismatch, "%s, %v, %v", name, pair, pair[i])
					assert.ErrorContains(t, err,
						fmt.Sprintf("ranks differ: rank 0 has a group of %d ranks; rank 1 has a group of %d ranks",
							sizes[0], sizes[1]))
				}
				assert.Less(t, time.Since(began), 30*time.Second, "half of their time")
			})
		}
	}
	all.Wait()
}

// A rank whose wait has timed out reports different sizes, even if it did not detect them earlier.
func TestSizesDifferWhenTheTimeIsOver(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	store, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer store.Close()
	as := func(r told) []distributed.GroupOption {
		return []distributed.GroupOption{
			distributed.WithStore(store), distributed.Rank(r.rank),
			distributed.WorldSize(r.world),
		}
	}
	// The context ends before the first check for different sizes.
	ctx, cancel := context.WithTimeout(background, 900*time.Millisecond)
	defer cancel()
	first := told{0, 2}.start(ctx, as(told{0, 2}))
	require.NoError(t, store.Wait(ranks.Soon(t), "0//gotorch/rank/0")) // wait until the rank waits for the other one
	require.ErrorIs(t, <-told{1, 3}.start(ranks.Soon(t), as(told{1, 3})), distributed.ErrMismatch)
	err = <-first
	require.ErrorIs(t, err, distributed.ErrMismatch)
	require.ErrorContains(t, err, "rank 0 has a group of 2 ranks; rank 1 has a group of 3 ranks")
}

// If a rank's number is too large for the size that the other ranks have, only that rank fails.
func TestRankBeyondTheOthers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	as := meetings(t)["hash"]
	require.NoError(t, <-told{0, 1}.start(ranks.Soon(t), as(told{0, 1})))
	err := <-told{1, 2}.start(ranks.Soon(t), as(told{1, 2}))
	require.ErrorIs(t, err, distributed.ErrMismatch)
	require.ErrorContains(t, err, "rank 0 has a group of 1 ranks; rank 1 has a group of 2 ranks")
}

// Subgroups have their own sizes, even if a group's name is reused.
func TestSizesOfSmallerGroups(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 3, func(g *distributed.ProcessGroup) error {
		for _, members := range [][]int{{0, 1}, {0, 1, 2}, {2}} {
			sub, err := g.NewGroup(ranks.Soon(t), members)
			if err != nil {
				return err
			}
			one, err := g.NewSubgroups(ranks.Soon(t), 1)
			if err != nil {
				return err
			}
			if sub.Rank() >= 0 {
				x := torch.Ones(torch.Shape{1})
				if err := sub.AllReduce(ranks.Soon(t), x); err != nil {
					return err
				}
				if err := same("the sum", x, float32(len(members))); err != nil {
					return err
				}
			}
			_, _ = sub.Close(), one.Close()
		}
		return nil
	})
	// If the ranks do not compare their calls, the check of group sizes finds the difference.
	for r, err := range ranks.Run(t, 3, func(g *distributed.ProcessGroup) error {
		members := []int{0, 1}
		if g.Rank() == 1 {
			members = []int{0, 1, 2}
		}
		sub, err := g.NewGroup(ranks.Soon(t), members)
		return errors.Join(err, sub.Close())
	}, distributed.Check(false)) {
		if r == 2 {
			require.NoError(t, err, "no member of the group that it was told of")
			continue
		}
		require.ErrorIs(t, err, distributed.ErrMismatch)
		require.ErrorContains(t, err, "rank 0 has a group of 2 ranks; rank 1 has a group of 3 ranks")
	}
}

// If two processes have the same rank, the second one fails immediately, and the group
// continues without it.
func TestRankTwice(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, as := range meetings(t) {
		t.Run(name, func(t *testing.T) {
			refusal, first := make(chan struct{}), make(chan error, 1)
			go func() {
				g, err := distributed.InitProcessGroup(ranks.Soon(t), distributed.Gloo, as(told{0, 2})...)
				first <- err
				<-refusal // keep the store's server; the rejected process may start late
				_ = g.Close()
			}()
			var both [2]<-chan error
			for i := range both {
				both[i] = told{1, 2}.start(ranks.Soon(t), as(told{1, 2}))
			}
			var refused []error
			for _, ended := range both {
				if err := <-ended; err != nil {
					refused = append(refused, err)
				}
			}
			close(refusal)
			require.NoError(t, <-first)
			require.Len(t, refused, 1)
			require.ErrorIs(t, refused[0], distributed.ErrInUse)
			require.ErrorContains(t, refused[0], "another process has this rank")
			var e *distributed.Error
			require.ErrorAs(t, refused[0], &e)
			assert.Equal(t, []int{1}, e.Ranks)
			assert.Equal(t, 1, e.Rank)
		})
	}
}

// The rank that runs the store's server detects the difference last. It gives the other
// rank time to read the reason, although its program ends immediately.
func TestSizesDifferOnTheServersRank(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	as := meetings(t)["tcp"]
	var all sync.WaitGroup
	for r := range 2 {
		all.Go(func() {
			g, err := distributed.InitProcessGroup(ranks.Soon(t), distributed.Gloo,
				append(as(told{r, 3}), distributed.Check(false))...)
			if !assert.NoError(t, err) {
				return
			}
			members := []int{0, 1, 2}
			if r == 0 {
				time.Sleep(200 * time.Millisecond) // the other rank joins first
				members = []int{0, 1}
			}
			_, err = g.NewGroup(ranks.Soon(t), members)
			assert.NoError(t, g.Close())
			assert.ErrorIs(t, err, distributed.ErrMismatch, "rank %d", r)
			assert.ErrorContains(t, err, "rank 0 has a group of 2 ranks; rank 1 has a group of 3 ranks", "rank %d", r)
		})
	}
	g, err := distributed.InitProcessGroup(ranks.Soon(t), distributed.Gloo,
		append(as(told{2, 3}), distributed.Check(false))...)
	require.NoError(t, err)
	all.Wait()
	require.NoError(t, g.Close())
}
