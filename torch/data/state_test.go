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

// A loop can continue where another loop stopped, even in another process. It then draws
// the same random numbers in this epoch and in later ones.
func TestLoopsGoOn(t *testing.T) {
	for _, c := range readWorkerCases(t) {
		if c.Stop != nil {
			continue
		}
		for at := 0; at <= len(c.Epochs[0])+1; at++ {
			if at > 3 && at < len(c.Epochs[0]) {
				continue // these positions are in the middle, like the ones before
			}
			form := []string{"All", "Each", "Iter"}[at%3]
			loop := forms[form]
			t.Run(c.String()+" "+form, func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				torch.ManualSeed(c.Seed)
				first, _ := c.loader()
				var got [][]int64
				var state data.LoaderState
				take := func() { state = first.StateDict() }
				if at == 0 {
					take()
				} else {
					require.NoError(t, loop(first, func(b data.Batch) bool {
						got = append(got, b.Input.Int64s())
						if len(got) == at && at%2 == 1 { // if at is even, the state is taken after the loop
							take()
						}
						return len(got) < at
					}))
					if at%2 == 0 || at > len(got) {
						take()
					}
				}
				text, err := json.Marshal(state)
				require.NoError(t, err)

				torch.ManualSeed(99) // another process would begin with a different seed
				torch.Rand(torch.Shape{3})
				second, own := c.loader()
				var read data.LoaderState
				require.NoError(t, json.Unmarshal(text, &read))
				require.NoError(t, second.LoadStateDict(read))
				for e := len(c.Epochs) - 1; e >= 0; e-- {
					if e == len(c.Epochs)-1 && at > len(c.Epochs[0]) {
						continue // the state is from the end of the first epoch
					}
					require.NoError(t, loop(second, func(b data.Batch) bool {
						if at <= len(c.Epochs[0]) && len(got) < len(c.Epochs[0]) {
							assert.Equal(t, len(got), b.Index)
						}
						got = append(got, b.Input.Int64s())
						return true
					}))
				}
				var want [][]int64
				for _, e := range c.Epochs {
					want = append(want, e...)
				}
				assert.Equal(t, want, got)
				assert.Equal(t, c.DefaultState, next(torch.DefaultGenerator(torch.CPU)))
				if own != nil {
					assert.Equal(t, c.OwnState, next(own))
				}
			})
		}
	}
}

func TestStatesThatDoNotFit(t *testing.T) {
	l := data.NewLoader(drawing(4), data.NumWorkers(2))
	for range l.All() {
		break
	}
	s := l.StateDict()
	for name, change := range map[string]func(*data.LoaderState){
		"other workers": func(s *data.LoaderState) { s.NumWorkers = 1 },
		"negative":      func(s *data.LoaderState) { s.Yielded = -1 },
		"next worker":   func(s *data.LoaderState) { s.NextWorker = 2 },
		"workers":       func(s *data.LoaderState) { s.Workers = s.Workers[:1] },
		"in flight":     func(s *data.LoaderState) { s.InFlight = []int{5} },
		"many":          func(s *data.LoaderState) { s.InFlight = make([]int, 50) },
		"generator":     func(s *data.LoaderState) { s.Now.Default = []byte{1, 2} },
		"own":           func(s *data.LoaderState) { s.Now.Own = s.Now.Default },
		"worker":        func(s *data.LoaderState) { s.Workers = []data.WorkerState{{Batches: -1}, {}} },
	} {
		bad := s
		change(&bad)
		assert.ErrorIs(t, l.LoadStateDict(bad), torch.ErrValue, name)
	}
	one, none := data.NewLoader(drawing(4), data.NumWorkers(1)), data.NewLoader(drawing(4))
	assert.ErrorContains(t, one.LoadStateDict(s), "create this loader with NumWorkers(2), or start the epoch again")
	assert.ErrorContains(t, l.LoadStateDict(none.StateDict()), "create this loader with no NumWorkers")
	require.NoError(t, l.LoadStateDict(s))
	assert.Equal(t, s, l.StateDict())
	free := data.NewLoader(drawing(4), data.NumWorkers(2), data.InOrder(false))
	assert.ErrorIs(t, torch.Try(func() { free.StateDict() }), torch.ErrValue)
}

// LoadStateDict refuses a state of a loader with different batches. Otherwise the loop
// would skip the wrong batches.
func TestStatesOfOtherBatches(t *testing.T) {
	g := torch.NewGenerator(torch.CPU)
	in := func(opts ...data.LoaderOption) data.LoaderState {
		l := data.NewLoader(drawing(6), opts...)
		for range l.All() {
			break
		}
		return l.StateDict()
	}
	load := func(s data.LoaderState, opts ...data.LoaderOption) error {
		return data.NewLoader(drawing(6), opts...).LoadStateDict(s)
	}
	three := in(data.BatchSize(2))
	assert.Equal(t, 3, three.Batches)
	require.NoError(t, load(three, data.BatchSize(2)))
	for _, err := range []error{
		load(three, data.BatchSize(3)),
		load(three, data.BatchSize(4), data.DropLast(true)),
		load(three, data.BatchSize(2), data.WithSampler(data.NewSubsetRandomSampler([]int64{0, 1}))),
	} {
		assert.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "the state belongs to an epoch of 3 batches")
	}
	between := data.NewLoader(drawing(6), data.BatchSize(2)).StateDict()
	require.NoError(t, load(between, data.BatchSize(3)), "nothing is skipped")
	three.Batches, three.BatchSize = 0, 0 // states of older versions do not have them
	require.NoError(t, load(three, data.BatchSize(3)))

	// Batches of a different size, or in a different order.
	for _, c := range []struct{ saved, loaded []data.LoaderOption }{
		{[]data.LoaderOption{data.BatchSize(4)}, []data.LoaderOption{data.BatchSize(5)}},
		{[]data.LoaderOption{data.BatchSize(2)}, []data.LoaderOption{data.BatchSize(2), data.Shuffle(true)}},
		{[]data.LoaderOption{data.BatchSize(2), data.Shuffle(true)}, []data.LoaderOption{data.BatchSize(2)}},
		{nil, []data.LoaderOption{data.BatchSizeNone}},
	} {
		err := load(in(c.saved...), c.loaded...)
		assert.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "the state belongs to a loader with BatchSize(")
	}
	stream := data.IterableFunc(func(w data.WorkerInfo, yield func(data.Example) bool) error { return nil })
	state := data.LoaderState{Yielded: 3, BatchSize: 4}
	require.NoError(t, data.NewIterableLoader(stream, data.BatchSize(4)).LoadStateDict(state))
	assert.ErrorIs(t, data.NewIterableLoader(stream, data.BatchSize(8)).LoadStateDict(state), torch.ErrValue)

	shuffled := in(data.Shuffle(true))
	err := load(shuffled, data.Shuffle(true), data.Generator(g))
	assert.ErrorIs(t, err, torch.ErrValue)
	assert.ErrorContains(t, err, "a loader without a Generator")
	assert.ErrorIs(t, load(in(data.Shuffle(true), data.Generator(g)), data.Shuffle(true)), torch.ErrValue)
	require.NoError(t, load(data.LoaderState{}, data.Generator(g)))
}
