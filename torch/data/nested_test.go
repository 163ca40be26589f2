package data_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// within is a dataset of 64 examples. To make an example, it adds up the batches of another
// loader.
type within struct{ loader func() *data.Loader }

func (within) Len() int { return 64 }

func (d within) Get(i int) data.Example {
	sum := torch.Full(torch.Shape{1}, i)
	n := 0
	for b := range d.loader().All() {
		sum.Add_(b.Input.Flatten().Sum())
		if n++; i%3 == 0 && n == 2 {
			break // end the inner loop while its workers make batches
		}
	}
	return data.Example{Input: sum.Clone()}
}

// Workers may loop over other loaders, three levels deep. The loops end even if there are
// more workers than may make batches at the same time. The random numbers are the same
// each time, even when the loops continue from a state.
func TestLoadersWithinWorkers(t *testing.T) {
	inner := func(opts ...data.LoaderOption) func() *data.Loader {
		return func() *data.Loader { return data.NewLoader(drawing(6), append(opts, data.Shuffle(true))...) }
	}
	shared := data.NewLoader(drawing(6), data.NumWorkers(2), data.Shuffle(true))
	stream := func() *data.Loader { return data.NewIterableLoader(drawnStream{5}) }
	for name, loader := range map[string]func() *data.Loader{
		"4 workers": inner(data.NumWorkers(4)),
		"stream":    stream,
		"stream of 3 workers": func() *data.Loader {
			return data.NewIterableLoader(drawnStream{5}, data.NumWorkers(3))
		},
		"one loader for all": func() *data.Loader { return shared },
		"three deep": func() *data.Loader {
			return data.NewLoader(data.NewSubset(within{inner(data.NumWorkers(2))}, []int64{0, 1, 2}),
				data.NumWorkers(3))
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			make := func() *data.Loader {
				torch.ManualSeed(3)
				return data.NewLoader(within{loader}, data.NumWorkers(40))
			}
			var want, got []int64
			for b := range make().All() {
				want = append(want, b.Input.Int64s()...)
			}
			l := make()
			for b := range l.All() {
				if got = append(got, b.Input.Int64s()...); len(got) == 5 {
					break
				}
			}
			text, err := json.Marshal(l.StateDict())
			require.NoError(t, err)
			var s data.LoaderState
			require.NoError(t, json.Unmarshal(text, &s))
			l = make()
			require.NoError(t, l.LoadStateDict(s))
			for b := range l.All() {
				got = append(got, b.Input.Int64s()...)
			}
			assert.Equal(t, want, got)
		})
	}
}

// Between its steps, an open loop does not count as one of the workers that may make
// batches at the same time.
func TestOpenLoopsHoldNoSlots(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var open []*data.Iter
	for range 40 {
		torch.WithGenerator(torch.NewGenerator(torch.CPU), func() {
			it := data.NewIterableLoader(drawnStream{5}).Iter()
			require.True(t, it.Next())
			open = append(open, it)
		})
	}
	for _, it := range open {
		assert.True(t, it.Next())
		assert.NoError(t, it.Close())
	}
}
