package data_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// number returns an example whose Input is i.
func number(i int) data.Example { return data.Example{Input: torch.Full(torch.Shape{}, i)} }

// numbers runs a loop until it has the given number of batches, and returns the numbers in
// each.
func numbers(t *testing.T, l *data.Loader, form string, stop int) (got [][]int64) {
	t.Helper()
	require.NoError(t, forms[form](l, func(b data.Batch) bool {
		got = append(got, b.Input.Int64s())
		return len(got) != stop
	}))
	return got
}

// The workers of a stream take turns, and each worker makes batches of its own share. A
// worker whose stream has ended is skipped. If the dataset does not divide its examples
// among the workers, each worker yields all of them. Python does the same; see
// TestWorkersDrawAsPython.
func TestStreamsAreSharedAmongWorkers(t *testing.T) {
	parts := data.IterableFunc(func(w data.WorkerInfo, yield func(data.Example) bool) error {
		for i := range 7 {
			if w.Has(i) && !yield(number(i)) {
				break
			}
		}
		return nil
	})
	whole := data.IterableFunc(func(_ data.WorkerInfo, yield func(data.Example) bool) error {
		for i := range 3 {
			if !yield(number(i)) {
				break
			}
		}
		return nil
	})
	for form := range forms {
		for _, c := range []struct {
			set  data.IterableDataset
			opts []data.LoaderOption
			want [][]int64
		}{
			{parts, []data.LoaderOption{data.BatchSize(2), data.NumWorkers(2)}, [][]int64{{0, 2}, {1, 3}, {4, 6}, {5}}},
			{
				parts,
				[]data.LoaderOption{data.BatchSize(2), data.NumWorkers(2), data.DropLast(true)},
				[][]int64{{0, 2}, {1, 3}, {4, 6}},
			},
			{
				parts,
				[]data.LoaderOption{data.BatchSize(2), data.NumWorkers(3), data.PrefetchFactor(1)},
				[][]int64{{0, 3}, {1, 4}, {2, 5}, {6}},
			},
			{
				parts,
				[]data.LoaderOption{data.BatchSizeNone, data.NumWorkers(9)},
				[][]int64{{0}, {1}, {2}, {3}, {4}, {5}, {6}},
			},
			{whole, []data.LoaderOption{data.BatchSize(2), data.NumWorkers(2)}, [][]int64{{0, 1}, {0, 1}, {2}, {2}}},
			{whole, []data.LoaderOption{data.BatchSize(4), data.NumWorkers(1)}, [][]int64{{0, 1, 2}}},
		} {
			t.Run(fmt.Sprint(form, c.want), func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				defer noGoroutines(t)()
				l := data.NewIterableLoader(c.set, c.opts...)
				for range 2 {
					assert.Equal(t, c.want, numbers(t, l, form, -1))
				}
			})
		}
	}
}

// If the stream of a worker fails, the loop first yields the batches before the error. Then
// the loop ends, and so do the streams of the other workers.
func TestErrorsOfAWorkersStream(t *testing.T) {
	for form, loop := range forms {
		for name, fail := range map[string]func() error{
			"error": func() error { return errUnread },
			"panic": func() error { panic(errUnread) },
		} {
			t.Run(form+name, func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				defer noGoroutines(t)()
				var open atomic.Int64
				set := data.IterableFunc(func(w data.WorkerInfo, yield func(data.Example) bool) error {
					open.Add(1)
					defer open.Add(-1)
					for i := 0; yield(number(100*w.ID + i)); i++ {
						if w.ID == 1 && i == 2 {
							return fail()
						}
					}
					return nil
				})
				var seen [][]int64
				err := loop(data.NewIterableLoader(set, data.BatchSize(2), data.NumWorkers(2)),
					func(b data.Batch) bool {
						seen = append(seen, b.Input.Int64s())
						return true
					})
				require.ErrorIs(t, err, errUnread)
				var e *data.ExampleError
				require.ErrorAs(t, err, &e)
				assert.Equal(t, []any{1, int64(3), 3}, []any{e.Worker, e.Index, e.Batch})
				assert.Equal(t, [][]int64{{0, 1}, {100, 101}, {2, 3}}, seen)
				assert.Zero(t, open.Load(), "streams are still running")
			})
		}
	}
}

// If a loop ends early or its context is done, the streams of all workers end. This holds
// even for a stream that ignores the result of yield.
func TestWorkersStreamsEndWithTheLoop(t *testing.T) {
	for _, heeds := range []bool{true, false} {
		for form := range forms {
			t.Run(fmt.Sprint(form, heeds), func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				defer noGoroutines(t)()
				var open, closed atomic.Int64
				set := data.IterableFunc(func(_ data.WorkerInfo, yield func(data.Example) bool) error {
					open.Add(1)
					defer closed.Add(1)
					for i := range 1000 {
						if !yield(number(i)) && heeds {
							break
						}
					}
					return nil
				})
				l := data.NewIterableLoader(set, data.NumWorkers(3), data.PrefetchFactor(1))
				assert.Len(t, numbers(t, l, form, 4), 4)
				assert.EqualValues(t, 3, open.Load())
				assert.EqualValues(t, 3, closed.Load())

				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				n := 0
				for range l.AllContext(ctx) {
					if n++; n == 5 {
						cancel()
					}
				}
				assert.Equal(t, 5, n)
				it := l.IterContext(ctx)
				assert.False(t, it.Next())
				require.ErrorIs(t, it.Err(), context.Canceled)
				assert.Equal(t, open.Load(), closed.Load())
			})
		}
	}
}

// A state may say that only some workers' streams have ended. A loop that continues from
// this state yields the remaining batches.
func TestStreamsOfWorkersGoOn(t *testing.T) {
	lengths := []int{1, 5, 0, 3} // the number of examples that each worker yields
	set := data.IterableFunc(func(w data.WorkerInfo, yield func(data.Example) bool) error {
		for i := range lengths[w.ID] {
			if !yield(number(10*w.ID + i)) {
				break
			}
		}
		return nil
	})
	for _, prefetch := range []int{1, 2, 5} {
		loader := func() *data.Loader {
			return data.NewIterableLoader(set, data.NumWorkers(4), data.PrefetchFactor(prefetch))
		}
		whole := numbers(t, loader(), "All", -1)
		require.Len(t, whole, 9)
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(slices.Concat(whole...)))), 9)
		for at := range len(whole) + 1 {
			for form := range forms {
				t.Run(fmt.Sprint(prefetch, at, form), func(t *testing.T) {
					defer torchtest.CheckLeaks(t)()
					defer noGoroutines(t)()
					first, second := loader(), loader()
					var got [][]int64
					if at > 0 {
						got = numbers(t, first, form, at)
					}
					text, err := json.Marshal(first.StateDict())
					require.NoError(t, err)
					var s data.LoaderState
					require.NoError(t, json.Unmarshal(text, &s))
					require.NoError(t, second.LoadStateDict(s))
					assert.Equal(t, whole, append(got, numbers(t, second, form, -1)...))
					assert.Equal(t, whole, numbers(t, second, form, -1), "the next epoch")
				})
			}
		}
	}
}
