package data_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// Samplers draw the same orders as in Python, and leave the generators in the same states.
func TestSamplersDrawAsPython(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var cases []struct {
		Kind         string
		N, Num       int
		BatchSize    int  `json:"batch_size"`
		DropLast     bool `json:"drop_last"`
		Replacement  bool
		Own          bool
		Seed         uint64
		Len          int
		Epochs       [][][]int64
		DefaultState []int64 `json:"default_state"`
		OwnState     []int64 `json:"own_state"`
	}
	text, err := os.ReadFile("testdata/sampler.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &cases))
	for _, c := range cases {
		name := fmt.Sprintf("%s n=%d num=%d drop=%v replacement=%v own=%v", c.Kind, c.N, c.Num, c.DropLast,
			c.Replacement, c.Own)
		torch.ManualSeed(c.Seed)
		var own *torch.Generator
		if c.Own {
			own = torch.NewGenerator(torch.CPU).ManualSeed(c.Seed + 1)
		}
		set := counting(c.N)
		var sampler data.Sampler
		switch c.Kind {
		case "sequential":
			sampler = data.NewSequentialSampler(set)
		case "random":
			opts := []data.RandomSamplerOption{data.Replacement(c.Replacement), data.Generator(own)}
			if c.Num != 0 {
				opts = append(opts, data.NumSamples(c.Num))
			}
			sampler = data.NewRandomSampler(set, opts...)
		case "subset":
			var even []int64
			for i := 0; i < c.N; i += 2 {
				even = append(even, int64(i))
			}
			sampler = data.NewSubsetRandomSampler(even, data.Generator(own))
		case "weighted":
			weights := make([]float64, c.N)
			for i := range weights {
				weights[i] = float64(i + 1)
			}
			num := c.Num
			if num == 0 {
				num = c.N
			}
			sampler = data.NewWeightedRandomSampler(weights, num, data.Replacement(c.Replacement), data.Generator(own))
		}
		loader := data.NewLoader(set, data.BatchSize(c.BatchSize), data.WithSampler(sampler), data.DropLast(c.DropLast))
		assert.Equal(t, c.Len, loader.Len(), name)
		for _, want := range c.Epochs {
			var got [][]int64
			for b := range loader.All() {
				require.Equal(t, len(got), b.Index)
				got = append(got, b.Input.Int64s())
			}
			assert.Equal(t, want, got, name)
		}
		assert.Equal(t, c.DefaultState, next(torch.DefaultGenerator(torch.CPU)), name)
		if c.Own {
			assert.Equal(t, c.OwnState, next(own), name)
		}
		require.NoError(t, set.Close())
	}
}

// twice is a user-defined BatchSampler.
type twice struct{ n int64 }

func (s twice) Len() int { return int(s.n) }

func (s twice) Begin() func() ([]int64, bool) {
	i := int64(-1)
	return func() ([]int64, bool) {
		i++
		return []int64{i, i}, i < s.n
	}
}

func TestBatchSampler(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(5)
	defer func() { _ = set.Close() }()
	assert.Equal(t, "cpu[0 0]cpu[1 1]cpu[2 2]", batches(5, data.WithBatchSampler(twice{3})))
	assert.Equal(t, 3, data.NewLoader(set, data.WithBatchSampler(twice{3})).Len())
	pairs := data.NewBatchSampler(data.NewSequentialSampler(set), 2, true)
	assert.Equal(t, 2, pairs.Len())
	assert.Equal(t, "cpu[0 1]cpu[2 3]", batches(5, data.WithBatchSampler(pairs)))
	assert.Equal(t, 3, data.NewBatchSampler(data.NewSequentialSampler(set), 2, false).Len())
}

// samplerRows returns the rows for the samplers' options in the table of TestOptions.
func samplerRows() map[string]optiontest.Row {
	values := optiontest.Values
	drawn := values(func() any { return generator(42) }, data.Generator(nil))
	epoch := func(s data.Sampler) optiontest.Outcome {
		var all []int64
		next := s.Begin()
		for i, ok := next(); ok; i, ok = next() {
			all = append(all, i)
		}
		return optiontest.Outcome{"indices": fmt.Sprint(s.Len(), all)}
	}
	return map[string]optiontest.Row{
		"NewRandomSampler": optiontest.For(func(opts ...data.RandomSamplerOption) optiontest.Outcome {
			set := counting(20)
			defer func() { _ = set.Close() }()
			torch.ManualSeed(1)
			return epoch(data.NewRandomSampler(set, opts...))
		}, drawn, values(data.Replacement(true), data.Replacement(false)),
			values(data.NumSamples(3), data.NumSamples(30))),
		"NewSubsetRandomSampler": optiontest.For(func(opts ...data.SubsetSamplerOption) optiontest.Outcome {
			torch.ManualSeed(1)
			return epoch(data.NewSubsetRandomSampler([]int64{1, 3, 5, 7, 9, 11}, opts...))
		}, drawn),
		"NewWeightedRandomSampler": optiontest.For(func(opts ...data.WeightedSamplerOption) optiontest.Outcome {
			torch.ManualSeed(1)
			return epoch(data.NewWeightedRandomSampler([]float64{1, 9, 1, 1, 9, 1, 1, 1}, 8, opts...))
		}, drawn, values(data.Replacement(false), data.Replacement(true))),
	}
}

func TestSamplerMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set, none := counting(4), data.NewSubset(counting(1), nil)
	defer func() { _ = set.Close() }()
	s := data.NewSequentialSampler(set)
	bs := data.NewBatchSampler(s, 2, false)
	for _, c := range []struct {
		kind error
		text string
		fn   func()
	}{
		{torch.ErrNil, "NewSequentialSampler", func() { data.NewSequentialSampler(nil) }},
		{torch.ErrNil, "NewRandomSampler", func() { data.NewRandomSampler(nil) }},
		{torch.ErrValue, "an empty dataset cannot be sampled", func() { data.NewRandomSampler(none) }},
		{torch.ErrValue, "NumSamples: expected a positive number, got 0", func() {
			data.NewRandomSampler(set, data.NumSamples(0))
		}},
		{torch.ErrValue, "numSamples: expected a positive number, got -1", func() {
			data.NewWeightedRandomSampler([]float64{1}, -1)
		}},
		{torch.ErrValue, "Multinomial", func() { data.NewWeightedRandomSampler([]float64{-1, 1}, 1).Begin() }},
		{torch.ErrNil, "a nil Sampler", func() { data.NewBatchSampler(nil, 2, false) }},
		{torch.ErrValue, "batchSize: expected a positive number, got 0", func() { data.NewBatchSampler(s, 0, false) }},
		{torch.ErrValue, "cannot be combined with Shuffle", func() {
			data.NewLoader(set, data.WithSampler(s), data.Shuffle(true))
		}},
		{torch.ErrValue, "cannot be combined with BatchSize", func() {
			data.NewLoader(set, data.WithBatchSampler(bs), data.BatchSize(2))
		}},
		{torch.ErrValue, "cannot be combined with BatchSize", func() {
			data.NewLoader(set, data.WithBatchSampler(bs), data.WithSampler(s))
		}},
		{torch.ErrIndex, "4 is out of range", func() {
			for range data.NewLoader(set, data.WithSampler(data.NewSubsetRandomSampler([]int64{4}))).All() {
				t.Error("there is no such example")
			}
		}},
	} {
		err := torch.Try(c.fn)
		assert.ErrorIs(t, err, c.kind, c.text)
		assert.ErrorContains(t, err, c.text)
	}
}
