package data_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// backwards is a user-defined sampler that wraps another sampler.
type backwards struct{ data.Sampler }

func (b backwards) Begin() func() (int64, bool) {
	pull := b.Sampler.Begin()
	return func() (int64, bool) {
		i, ok := pull()
		return int64(b.Len()) - 1 - i, ok
	}
}

// jitter is both a dataset and a transform. It has its own generator.
type jitter struct{ gen *torch.Generator }

func (j *jitter) Len() int { return 12 }

func (j *jitter) Get(i int) data.Example {
	return data.Example{Input: torch.RandInt(0, 1000, torch.Shape{1}, torch.CPU, j.gen)}
}

func (j *jitter) Forward(x *torch.Tensor) *torch.Tensor {
	return x.Add(torch.RandInt(0, 1000, torch.Shape{1}, torch.CPU, j.gen))
}

// A loop that continues from a state draws the same numbers from the generators of the
// sampler, the dataset and a transform, in its epoch and in later ones.
func TestLoopsGoOnWithOtherGenerators(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	require.NoError(t, os.WriteFile(file, []byte("a\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"), 0o600))
	plain := drawing(12)
	weights := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	sampled := func(make func(g data.GeneratorOption) data.Sampler) func(g data.GeneratorOption,
		opts ...data.LoaderOption) *data.Loader {
		return func(g data.GeneratorOption, opts ...data.LoaderOption) *data.Loader {
			return data.NewLoader(plain, append(opts, data.BatchSize(2), data.WithSampler(make(g)))...)
		}
	}
	stream := func(g data.GeneratorOption) data.IterableDataset {
		d, err := data.NewCSVDataset(file, data.ShuffleBuffer(5), g)
		require.NoError(t, err)
		return d
	}
	for name, c := range map[string]struct {
		loader  func(g data.GeneratorOption, opts ...data.LoaderOption) *data.Loader
		workers []int
	}{
		"random": {sampled(func(g data.GeneratorOption) data.Sampler {
			return data.NewRandomSampler(plain, g)
		}), []int{0, 1, 3}},
		"random, replacing": {sampled(func(g data.GeneratorOption) data.Sampler {
			return data.NewRandomSampler(plain, data.Replacement(true), g)
		}), []int{0, 2}},
		"subset": {sampled(func(g data.GeneratorOption) data.Sampler {
			return data.NewSubsetRandomSampler([]int64{1, 3, 4, 5, 9}, g)
		}), []int{0, 2}},
		"weighted": {sampled(func(g data.GeneratorOption) data.Sampler {
			return data.NewWeightedRandomSampler(weights, 9, g)
		}), []int{0, 2}},
		"of the program": {sampled(func(g data.GeneratorOption) data.Sampler {
			return backwards{data.NewRandomSampler(plain, g)}
		}), []int{0, 2}},
		"a pointer to one": {sampled(func(g data.GeneratorOption) data.Sampler {
			return &backwards{data.NewRandomSampler(plain, g)}
		}), []int{0, 2}},
		"of a batch sampler": {func(g data.GeneratorOption, opts ...data.LoaderOption) *data.Loader {
			return data.NewLoader(plain,
				append(opts, data.WithBatchSampler(data.NewBatchSampler(data.NewRandomSampler(plain, g), 3, true)))...)
		}, []int{0, 2}},
		"of the loader": {func(g data.GeneratorOption, opts ...data.LoaderOption) *data.Loader {
			return data.NewLoader(plain, append(opts, g, data.Shuffle(true), data.BatchSize(2))...)
		}, []int{0, 3}},
		"dataset": {func(_ data.GeneratorOption, opts ...data.LoaderOption) *data.Loader {
			d := &jitter{torch.NewGenerator(torch.CPU).ManualSeed(8)}
			return data.NewLoader(data.NewConcatDataset(data.NewSubset(d, []int64{1, 2, 3}), plain),
				append(opts, data.Shuffle(true), data.CollateFn(firsts))...)
		}, []int{0}},
		"transform": {func(_ data.GeneratorOption, opts ...data.LoaderOption) *data.Loader {
			return data.NewLoader(data.NewTransformDataset(plain, &jitter{torch.NewGenerator(torch.CPU).ManualSeed(8)}),
				opts...)
		}, []int{0}},
		"stream": {func(g data.GeneratorOption, opts ...data.LoaderOption) *data.Loader {
			return data.NewIterableLoader(data.NewChainDataset(stream(g), stream(g)),
				append(opts, data.BatchSize(3))...)
		}, []int{0}},
	} {
		for _, workers := range c.workers {
			for _, left := range []int{0, 1, 3, 100} {
				t.Run(name, func(t *testing.T) {
					defer torchtest.CheckLeaks(t)()
					make := func() *data.Loader {
						torch.ManualSeed(7)
						return c.loader(data.Generator(torch.NewGenerator(torch.CPU).ManualSeed(4)),
							data.NumWorkers(workers))
					}
					var want, got [][]int64
					whole := make()
					for range 3 {
						for b := range whole.All() {
							want = append(want, b.Input.Flatten().To(torch.Int64).Int64s())
						}
					}
					l, all := make(), len(want)/3
					if left > 0 {
						for b := range l.All() {
							got = append(got, b.Input.Flatten().To(torch.Int64).Int64s())
							if len(got) == left {
								break
							}
						}
					}
					text, err := json.Marshal(l.StateDict())
					require.NoError(t, err)
					var s data.LoaderState
					require.NoError(t, json.Unmarshal(text, &s))
					l = make()
					require.NoError(t, l.LoadStateDict(s))
					for len(got) < 3*all {
						for b := range l.All() {
							got = append(got, b.Input.Flatten().To(torch.Int64).Int64s())
						}
					}
					assert.Equal(t, want, got, "%d workers, left after %d", workers, left)
				})
			}
		}
	}
}

func firsts(all []data.Example) data.Example {
	var ts []*torch.Tensor
	for _, e := range all {
		ts = append(ts, e.Input.Index(0))
	}
	return data.Example{Input: torch.Stack(ts)}
}

// StateDict panics for a loop that a state cannot reproduce. LoadStateDict refuses a
// state of a loader with different generators.
func TestGeneratorsThatNoStateHas(t *testing.T) {
	d := &jitter{torch.NewGenerator(torch.CPU)}
	err := torch.Try(func() { data.NewLoader(d, data.NumWorkers(2)).StateDict() })
	require.ErrorIs(t, err, torch.ErrValue)
	assert.ErrorContains(t, err, "draw from the default generator")
	gen := func() data.GeneratorOption { return data.Generator(torch.NewGenerator(torch.CPU)) }
	with := data.NewLoader(drawing(4), data.WithSampler(data.NewRandomSampler(drawing(4), gen())))
	without := data.NewLoader(drawing(4), data.WithSampler(data.NewRandomSampler(drawing(4))))
	assert.ErrorIs(t, with.LoadStateDict(without.StateDict()), torch.ErrValue)
	assert.ErrorIs(t, without.LoadStateDict(with.StateDict()), torch.ErrValue)
	bad := with.StateDict()
	bad.Now.Others = [][]byte{{1, 2}}
	assert.ErrorIs(t, with.LoadStateDict(bad), torch.ErrValue)
}
