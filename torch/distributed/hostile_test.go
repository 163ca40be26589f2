package distributed_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// wakeOfZero is the key under which rank 0 of a group gets news of other ranks.
const wakeOfZero = "0//gotorch/wake/0"

// overStore runs a group of two goroutines that find each other through a store.
func overStore(t *testing.T, fn func(g *distributed.ProcessGroup, store *distributed.Store) error) []error {
	store, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer store.Close()
	errs := make([]error, 2)
	var all sync.WaitGroup
	for r := range errs {
		all.Go(func() {
			g, err := distributed.InitProcessGroup(ranks.Soon(t), distributed.Gloo, distributed.WithStore(store),
				distributed.Rank(r), distributed.WorldSize(2))
			if err != nil {
				errs[r] = err
				return
			}
			errs[r] = errors.Join(fn(g, store), g.Close())
		})
	}
	all.Wait()
	return errs
}

// If another program writes values under the group's keys, the ranks ignore them, and the
// group continues.
func TestRecordsOfStrangers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	long, err := json.Marshal(map[string]any{"Rank": 1, "Text": strings.Repeat("x", 1<<20)})
	require.NoError(t, err)
	for _, err := range overStore(t, func(g *distributed.ProcessGroup, store *distributed.Store) error {
		for _, record := range []string{
			`{"Rank": 999, "Text": "x"}`, `{"Rank": 2}`, `{"Rank": 0}`, `{"Rank": -1}`,
			`{"Rank": -2}`, `no JSON`, ``, `{"Rank": 1e99}`, string(long),
		} {
			if g.Rank() == 0 {
				if err := store.Set(wakeOfZero, []byte(record)); err != nil {
					return err
				}
				for there := true; there; { // until the rank has read the value
					var err error
					if there, err = store.Check(wakeOfZero); err != nil {
						return err
					}
				}
			}
			x := torch.Ones(torch.Shape{2})
			if err := errors.Join(g.AllReduce(ranks.Soon(t), x), x.Close()); err != nil {
				return err
			}
		}
		return nil
	}) {
		assert.NoError(t, err)
	}
}

// News that seems to come from a rank ends the group, but the error is one short line.
func TestNewsAreOneLine(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	record, err := json.Marshal(map[string]any{
		"Rank": 1,
		"Text": "first\nsecond\x1b[31m" + strings.Repeat("x", 10<<10),
	})
	require.NoError(t, err)
	errs := overStore(t, func(g *distributed.ProcessGroup, store *distributed.Store) error {
		if g.Rank() == 0 {
			if err := store.Set(wakeOfZero, record); err != nil {
				return err
			}
		}
		var err error
		for err == nil {
			x := torch.Ones(torch.Shape{2})
			err = errors.Join(g.AllReduce(ranks.Soon(t), x), x.Close())
		}
		return err
	})
	var e *distributed.Error
	require.ErrorAs(t, errs[0], &e)
	assert.Contains(t, e.Detail, "rank 1 gave up: first second")
	assert.NotContains(t, e.Detail, "\n")
	assert.NotContains(t, e.Detail, "\x1b")
	assert.Less(t, len(e.Detail), 5<<10)
}

// If a rank announces an impossible size, the other ranks get an error and do not panic.
func TestAnnouncedSizes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	number := func(n ...int64) *torch.Tensor { return torch.FromSlice(n) }
	gathered := func(g *distributed.ProcessGroup, size int64) error {
		return g.AllGatherIntoTensor(ranks.Soon(t), torch.Empty(torch.Shape{2}, torch.Int64), number(size))
	}
	for _, size := range []int64{-5, -1 << 62, 1 << 40} {
		for name, c := range map[string]struct {
			bad, good func(g *distributed.ProcessGroup) error
		}{
			"AllGatherObject": {
				func(g *distributed.ProcessGroup) error { return gathered(g, size) },
				func(g *distributed.ProcessGroup) error {
					var into []string
					return g.AllGatherObject(ranks.Soon(t), "x", &into)
				},
			},
			"GatherObject": {
				func(g *distributed.ProcessGroup) error { return gathered(g, size) },
				func(g *distributed.ProcessGroup) error {
					var into []string
					return g.GatherObject(ranks.Soon(t), "x", &into, 0)
				},
			},
			"BroadcastObject": {
				func(g *distributed.ProcessGroup) error { return gathered(g, size) },
				func(g *distributed.ProcessGroup) error {
					var into string
					return g.BroadcastObject(ranks.Soon(t), &into, 1)
				},
			},
			"ScatterObject": {
				func(g *distributed.ProcessGroup) error {
					return errors.Join(gathered(g, 0), g.Broadcast(ranks.Soon(t), number(size, 1), 1))
				},
				func(g *distributed.ProcessGroup) error {
					var into string
					return g.ScatterObject(ranks.Soon(t), &into, nil, 1)
				},
			},
			"RecvObject": {
				func(g *distributed.ProcessGroup) error {
					return g.Send(ranks.Soon(t), number(0x4f626a<<40|size&(1<<40-1)), 0)
				},
				func(g *distributed.ProcessGroup) error {
					var into string
					_, err := g.RecvObject(ranks.Soon(t), &into, 1)
					return err
				},
			},
		} {
			if name == "RecvObject" && size != -5 {
				continue // RecvObject's message has no room for the other sizes
			}
			errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) (err error) {
				torch.Scope(func() {
					if g.Rank() == 1 {
						err = c.bad(g)
					} else {
						err = c.good(g)
					}
				})
				return err
			}, distributed.Check(false))
			require.NoError(t, errs[1], name)
			require.ErrorIs(t, errs[0], distributed.ErrMismatch, name)
			assert.ErrorContains(t, errs[0], "announces", name)
		}
	}
}
