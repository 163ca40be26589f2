package data_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// workerCase is one case in testdata/workers.json: a loader and Python's results for it.
type workerCase struct {
	Kind           string
	N              int
	Lengths        []int
	Stop           *int
	Own            bool
	Seed           uint64
	BatchSize      int `json:"batch_size"`
	Shuffle        bool
	DropLast       bool `json:"drop_last"`
	NumWorkers     int  `json:"num_workers"`
	PrefetchFactor int  `json:"prefetch_factor"`
	Persistent     bool
	Epochs         [][][]int64
	DefaultState   []int64 `json:"default_state"`
	OwnState       []int64 `json:"own_state"`
}

func readWorkerCases(t *testing.T) []workerCase {
	var all struct{ Workers []workerCase }
	text, err := os.ReadFile("testdata/workers.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &all))
	return all.Workers
}

func (c workerCase) String() string {
	return fmt.Sprintf("%s n=%d%v batch=%d shuffle=%v drop=%v own=%v stop=%v workers=%d prefetch=%d persistent=%v",
		c.Kind, c.N, c.Lengths, c.BatchSize, c.Shuffle, c.DropLast, c.Own, c.Stop != nil, c.NumWorkers,
		c.PrefetchFactor, c.Persistent)
}

// drawing is a dataset. The tensor of each example holds the example's index and a random
// number.
type drawing int

func (d drawing) Len() int { return int(d) }

func (drawing) Get(i int) data.Example { return drawn(i) }

func drawn(i int) data.Example {
	x := torch.Empty(torch.Shape{2}, torch.Int64)
	x.SetIndex(i, 0)
	x.SetIndex(torch.RandInt(0, 1000, torch.Shape{}), 1)
	return data.Example{Input: x}
}

// drawnStream is an iterable dataset. If it has one element, the workers share that number
// of examples. If it has several, element w is the number of examples of worker w.
type drawnStream []int

func (s drawnStream) Iterate(w data.WorkerInfo, yield func(data.Example) bool) error {
	n, shared := s[0], true
	if len(s) > 1 && w.NumWorkers > 0 {
		n, shared = s[w.ID], false
	}
	for i := range n {
		if (!shared || w.Has(i)) && !yield(drawn(i)) {
			break
		}
	}
	return nil
}

// loader returns the loader that the case describes, and the loader's own generator, or
// nil if there is none.
func (c workerCase) loader() (*data.Loader, *torch.Generator) {
	opts := []data.LoaderOption{
		data.BatchSize(c.BatchSize), data.Shuffle(c.Shuffle), data.DropLast(c.DropLast),
		data.NumWorkers(c.NumWorkers),
	}
	if c.BatchSize == 0 {
		opts = append(opts, data.BatchSizeNone)
	}
	if c.PrefetchFactor > 0 {
		opts = append(opts, data.PrefetchFactor(c.PrefetchFactor))
	}
	if c.Persistent {
		opts = append(opts, data.PersistentWorkers(true))
	}
	var own *torch.Generator
	if c.Own {
		own = torch.NewGenerator(torch.CPU).ManualSeed(c.Seed + 1)
		opts = append(opts, data.Generator(own))
	}
	if c.Kind == "map" {
		return data.NewLoader(drawing(c.N), opts...), own
	}
	return data.NewIterableLoader(drawnStream(c.Lengths), opts...), own
}

// forms are the three ways to write a loop over a loader. The loop ends when body returns
// false.
var forms = map[string]func(l *data.Loader, body func(data.Batch) bool) error{
	"All": func(l *data.Loader, body func(data.Batch) bool) error {
		return torch.Try(func() {
			for b := range l.All() {
				if !body(b) {
					break
				}
			}
		})
	},
	"Each": func(l *data.Loader, body func(data.Batch) bool) error {
		return torch.Try(func() { l.Each(body) })
	},
	"Iter": func(l *data.Loader, body func(data.Batch) bool) error {
		var it *data.Iter
		if err := torch.Try(func() { it = l.Iter() }); err != nil {
			return err
		}
		defer func() { _ = it.Close() }()
		for it.Next() {
			if !body(it.Batch()) {
				break
			}
		}
		return it.Err()
	},
}

// epoch runs a loop in the given form, and returns the numbers in its batches.
func epoch(t *testing.T, form string, l *data.Loader, stop *int) (got [][]int64) {
	var last data.Batch
	err := forms[form](l, func(b data.Batch) bool {
		assert.Equal(t, len(got), b.Index)
		assert.True(t, last.Input == nil || last.Input.IsClosed(), "the previous batch is freed")
		last = b
		got = append(got, b.Input.Int64s())
		return stop == nil || len(got) < *stop
	})
	require.NoError(t, err)
	assert.True(t, last.Input == nil || last.Input.IsClosed(), "the last batch is freed")
	return got
}

// For each form of loop, the batches, the random numbers and the final states of the
// generators are the same as in Python with the same number of workers.
func TestWorkersDrawAsPython(t *testing.T) {
	for _, c := range readWorkerCases(t) {
		for form := range forms {
			t.Run(c.String()+" "+form, func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				torch.ManualSeed(c.Seed)
				loader, own := c.loader()
				for _, want := range c.Epochs {
					assert.Equal(t, want, epoch(t, form, loader, c.Stop))
				}
				assert.Equal(t, c.DefaultState, next(torch.DefaultGenerator(torch.CPU)),
					"state of the default generator")
				if own != nil {
					assert.Equal(t, c.OwnState, next(own), "state of the loader's generator")
				}
			})
		}
	}
}

func TestDistributedSamplerDrawsAsPython(t *testing.T) {
	var all struct {
		Distributed []struct {
			N, Replicas, Rank, Len int
			Shuffle                bool
			DropLast               bool `json:"drop_last"`
			Epochs                 [][]int64
		}
	}
	text, err := os.ReadFile("testdata/workers.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &all))
	for _, c := range all.Distributed {
		opts := []data.DistributedOption{
			data.NumReplicas(c.Replicas), data.Rank(c.Rank), data.Shuffle(c.Shuffle), data.DropLast(c.DropLast),
		}
		if c.Shuffle {
			opts = append(opts, data.Seed(5))
		}
		s := data.NewDistributedSampler(drawing(c.N), opts...)
		assert.Equal(t, c.Len, s.Len(), "%+v", c)
		for e, want := range c.Epochs {
			s.SetEpoch(e)
			got := []int64{}
			pull := s.Begin()
			for i, ok := pull(); ok; i, ok = pull() {
				got = append(got, i)
			}
			assert.Equal(t, want, got, "%+v", c)
		}
	}
	d := drawing(4)
	assert.Equal(t, "DistributedSampler(rank 1 of 2, 2 examples)",
		data.NewDistributedSampler(d, data.NumReplicas(2), data.Rank(1)).String())
	assert.ErrorIs(t, torch.Try(func() { data.NewDistributedSampler(nil) }), torch.ErrNil)
	assert.ErrorIs(t, torch.Try(func() { data.NewDistributedSampler(d, data.NumReplicas(0)) }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { data.NewDistributedSampler(d, data.Rank(1)) }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() {
		data.NewDistributedSampler(d, data.Seed(1), data.Shuffle(false))
	}), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { data.NewDistributedSampler(d, nil) }), torch.ErrNil)
}
