package distributed_test

import (
	"bytes"
	"encoding/gob"
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

// Texts of other ranks in errors are one short line.
func TestTextsOfStrangers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const text = "first\nsecond\x1b[31m"
	isLine := func(err error) {
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "\n")
		assert.NotContains(t, err.Error(), "\x1b")
		assert.Less(t, len(err.Error()), 6<<10)
	}
	errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		w := torch.Ones(torch.Shape{3}, torch.RequiresGrad(true))
		c := distributed.ReducerConfig{}
		if g.Rank() == 1 {
			c.Refused = errors.New(text)
		}
		_, err := distributed.NewReducer(ranks.Soon(t), g, []*torch.Tensor{w}, c)
		return err
	})
	isLine(errs[0])
	assert.ErrorContains(t, errs[0], "first second")

	// gob's errors contain the name of the sender's type.
	type Strange struct{ Value string }
	var b bytes.Buffer
	require.NoError(t, gob.NewEncoder(&b).Encode(Strange{"x"}))
	strange := bytes.ReplaceAll(b.Bytes(), []byte("Strange"), []byte("a\nb\x1b[3m"))
	errs = ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		if g.Rank() == 1 {
			size := torch.FromSlice([]int64{0x4f626a<<40 | int64(len(strange))})
			return errors.Join(g.Send(ranks.Soon(t), size, 0), g.Send(ranks.Soon(t), torch.FromSlice(strange), 0))
		}
		var into struct{ Value int }
		_, err := g.RecvObject(ranks.Soon(t), &into, 1)
		return err
	})
	require.NoError(t, errs[1])
	isLine(errs[0])
}
