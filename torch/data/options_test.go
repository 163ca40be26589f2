package data_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// batches runs a loop over a loader of the numbers 0 to n-1. It describes the batches and
// their device.
func batches(n int, opts ...data.LoaderOption) string {
	var out strings.Builder
	set := counting(n)
	defer func() { _ = set.Close() }()
	for b := range data.NewLoader(set, opts...).All() {
		fmt.Fprint(&out, b.Input.Device())
		if b.Input.Device() != torch.Meta {
			fmt.Fprint(&out, b.Input.Int64s())
		}
	}
	return out.String()
}

func generator(seed uint64) data.GeneratorOption {
	return data.Generator(torch.NewGenerator(torch.CPU).ManualSeed(seed))
}

// withWorkers describes loops with opts if they contain options about workers. Otherwise it
// returns "".
func withWorkers(t *testing.T, opts []data.LoaderOption) string {
	t.Helper()
	list, wait, about := []data.LoaderOption{data.BatchSize(1), data.NumWorkers(1)}, false, false
	for _, o := range opts {
		switch o := o.(type) {
		case nil, *data.NumWorkers, *data.PrefetchFactor, *data.InOrder, *data.PinMemory, *data.Timeout,
			*data.WorkerInitFn, *data.PersistentWorkers:
			return "" // the test without workers checks that NewLoader refuses the nil option
		case data.PinMemory:
			about = true
			list = append(list, o)
		case data.Timeout:
			about, wait = true, o > 0
			list = append(list, o)
		case data.NumWorkers, data.PrefetchFactor, data.InOrder, data.WorkerInitFn, data.PersistentWorkers:
			about = true
			list = append(list, o)
		}
	}
	if !about {
		return ""
	}
	release := make(chan struct{})
	if !wait {
		close(release)
	}
	ended := noGoroutines(t)
	set := slow{drawing(9), release}
	pulls := 0
	torch.ManualSeed(2)
	var out strings.Builder
	err := torch.Try(func() {
		loader := data.NewLoader(set, append(list, data.WithSampler(counted9{&pulls}))...)
		for range 2 {
			first := true
			for b := range loader.All() {
				if fmt.Fprint(&out, b.Input.Int64s()); first {
					fmt.Fprint(&out, " ahead ", pulls)
				}
				first = false
			}
		}
		fmt.Fprint(&out, torch.Try(func() { loader.StateDict() }), loader)
	})
	if wait {
		close(release)
		ended() // wait for the worker that was late
	}
	var late *data.TimeoutError
	if errors.As(err, &late) { // leave out the index of the example, because it varies
		return fmt.Sprint(late.Worker, late.Batch, late.After)
	}
	return out.String() + fmt.Sprint(err)
}

// slow is a dataset that blocks until release is closed.
type slow struct {
	data.Dataset
	release chan struct{}
}

func (s slow) Get(i int) data.Example {
	<-s.release
	return s.Dataset.Get(i)
}

// counted9 is a sampler of the indices 0 to 8. It counts in *pulls how many it has yielded.
type counted9 struct{ pulls *int }

func (counted9) Len() int { return 9 }

func (c counted9) Begin() func() (int64, bool) {
	i := int64(-1)
	return func() (int64, bool) {
		*c.pulls++
		i++
		return i, i < 9
	}
}

// Each option has an effect, alone and after a different value of the same option. Nil
// options are refused.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	writeMNIST(t, dir, "train", 12, true)
	writeMNIST(t, dir, "t10k", 3, false)
	cifar := writeCIFAR(t)
	values := optiontest.Values
	drawn := values(func() any { return generator(42) }, data.Generator(nil))
	one := func(es []data.Example) data.Example { return data.Example{Input: es[0].Input.AddScalar(7)} }
	more := func(e data.Example) data.Example { return data.Example{Input: e.Input.AddScalar(7)} }
	rows := samplerRows()
	maps.Copy(rows, imageRows())
	maps.Copy(rows, folderRows(t))
	maps.Copy(rows, csvRows(t))
	maps.Copy(rows, webRows(t))
	maps.Copy(rows, map[string]optiontest.Row{
		"NewLoader": optiontest.For(func(opts ...data.LoaderOption) optiontest.Outcome {
			torch.ManualSeed(1)
			// Shuffle, and make batches of 2, so that the last batch is not full.
			base := []data.LoaderOption{data.BatchSize(2), data.Shuffle(true)}
			for _, o := range opts {
				switch o.(type) {
				case data.SamplerOption, data.BatchSamplerOption:
					base = nil // these options would conflict with a sampler
				}
			}
			if about := withWorkers(t, opts); about != "" { // these options need workers
				return optiontest.Outcome{"batches": about}
			}
			return optiontest.Outcome{"batches": batches(5, append(base, opts...)...)}
		},
			drawn,
			values(data.BatchSize(1), data.BatchSize(3)),
			values(data.Shuffle(false), data.Shuffle(true)),
			values(data.DropLast(true), data.DropLast(false)),
			values(data.WithSampler(data.NewSubsetRandomSampler([]int64{1, 3, 4})), data.WithSampler(nil)),
			values(data.WithBatchSampler(twice{3}), data.WithBatchSampler(nil)),
			values(data.CollateFn(one), data.CollateFn(nil)),
			values(data.Transform(more), data.Transform(nil)),
			values(data.Device(torch.Meta), data.Device(torch.CPU)),
			values(data.Device(torch.Device(0)), data.Device(torch.Meta)),
			values(data.NumWorkers(0), data.NumWorkers(1)),
			values(data.PrefetchFactor(1), data.PrefetchFactor(3)),
			values(data.InOrder(false), data.InOrder(true)),
			values(data.PinMemory(true), data.PinMemory(false)),
			values(data.Timeout(time.Millisecond), data.Timeout(0)),
			values(data.WorkerInitFn(func(data.WorkerInfo) error { return errUnread }), data.WorkerInitFn(nil)),
			values(data.PersistentWorkers(true), data.PersistentWorkers(false)),
		),
		"NewIterableLoader": optiontest.For(func(opts ...data.LoaderOption) optiontest.Outcome {
			torch.ManualSeed(1)
			var out strings.Builder
			loop := func() {
				for b := range data.NewIterableLoader(drawnStream{5},
					append([]data.LoaderOption{data.BatchSize(2)}, opts...)...).All() {
					fmt.Fprint(&out, b.Input)
				}
			}
			for _, o := range opts {
				if pin, ok := o.(data.PinMemory); ok && bool(pin) {
					do := loop
					loop = func() {
						if err := torch.Try(do); errors.Is(err, torch.ErrDevice) {
							fmt.Fprint(&out, err) // the machine has no CUDA device
						} else if err != nil {
							panic(err)
						}
					}
				}
			}
			loop()
			return optiontest.Outcome{"batches": fmt.Sprint(out.String(), next(torch.DefaultGenerator(torch.CPU)))}
		},
			drawn,
			optiontest.Refused(data.InOrder(false)), // refused without workers
			values(data.PinMemory(true), data.PinMemory(false)),
			values(data.BatchSize(1), data.BatchSize(3)),
			values(data.DropLast(true), data.DropLast(false)),
			values(data.CollateFn(one), data.CollateFn(nil)),
			values(data.Transform(more), data.Transform(nil)),
			values(data.Device(torch.Meta), data.Device(torch.CPU)),
			values(data.NumWorkers(0), data.NumWorkers(1)),
			optiontest.Refused(data.Shuffle(true)),
			optiontest.Refused(data.WithSampler(data.NewSubsetRandomSampler([]int64{1}))),
			optiontest.Refused(data.WithBatchSampler(twice{3})),
			optiontest.Refused(data.PrefetchFactor(1)), // refused without workers
			optiontest.Refused(data.Timeout(time.Second)),
			optiontest.Refused(data.WorkerInitFn(func(data.WorkerInfo) error { return nil })),
			optiontest.Refused(data.PersistentWorkers(true)),
		),
		"NewDistributedSampler": optiontest.For(func(opts ...data.DistributedOption) optiontest.Outcome {
			var all []int64
			s := data.NewDistributedSampler(drawing(20),
				append([]data.DistributedOption{data.NumReplicas(3)}, opts...)...)
			pull := s.Begin()
			for i, ok := pull(); ok; i, ok = pull() {
				all = append(all, i)
			}
			return optiontest.Outcome{"indices": fmt.Sprint(all)}
		},
			values(data.NumReplicas(2), data.NumReplicas(1)),
			values(data.Rank(1), data.Rank(0)),
			values(data.Shuffle(false), data.Shuffle(true)),
			values(data.Seed(4), data.Seed(0)),
			values(data.DropLast(true), data.DropLast(false)),
		),
		"RandomSplit": optiontest.For(func(opts ...data.SplitOption) optiontest.Outcome {
			set := counting(20)
			defer func() { _ = set.Close() }()
			torch.ManualSeed(1)
			return optiontest.Outcome{"indices": fmt.Sprint(data.RandomSplit(set, []int{20}, opts...)[0].Indices())}
		}, drawn),
		"RandomSplitFractions": optiontest.For(func(opts ...data.SplitOption) optiontest.Outcome {
			torch.ManualSeed(1)
			return optiontest.Outcome{"indices": fmt.Sprint(data.RandomSplitFractions(drawing(20), []float64{1},
				opts...)[0].Indices())}
		}, drawn),
		"NewCacheDataset": optiontest.For(func(opts ...data.CacheOption) optiontest.Outcome {
			c := data.NewCacheDataset(drawing(4), opts...)
			defer func() { _ = c.Close() }()
			data.NewLoader(c).Each(all)
			return optiontest.Outcome{"kept": fmt.Sprint(c.Kept())}
		}, values(data.MaxExamples(0), data.MaxExamples(2))),
		"PadCollate": optiontest.For(func(opts ...data.PadCollateOption) optiontest.Outcome {
			pad := data.PadCollate(opts...)
			a, b := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{3})
			return optiontest.Outcome{"batch": fmt.Sprint(pad([]data.Example{{Input: a}, {Input: b}}).Input)}
		}, values(data.BatchFirst(true), data.BatchFirst(false)), values(data.PaddingValue(7), data.PaddingValue(0))),
		"ReadIDX": optiontest.For(func(opts ...data.IDXOption) optiontest.Outcome {
			path := filepath.Join(t.TempDir(), "a")
			require.NoError(t, os.WriteFile(path, idx(8, []uint32{2}, []uint8{1, 2}), 0o600))
			_, err := data.ReadIDX(path, opts...)
			return optiontest.Outcome{"failed": fmt.Sprint(err != nil)}
		}, values(data.MemoryLimit(1), data.MemoryLimit(1<<20))),
		"DecodeIDX": optiontest.For(func(opts ...data.IDXOption) optiontest.Outcome {
			_, err := data.DecodeIDX(bytes.NewReader(idx(8, []uint32{2}, []uint8{1, 2})), "a", opts...)
			return optiontest.Outcome{"error": fmt.Sprint(err)}
		}, values(data.MemoryLimit(1), data.MemoryLimit(1<<20))),
		"NewTable": optiontest.For(func(opts ...data.TableOption) optiontest.Outcome {
			x := torch.Zeros(torch.Shape{1}, torch.Int64)
			defer func() { _ = x.Close() }()
			table := data.NewTable([]string{"a"}, []*torch.Tensor{x}, opts...)
			return optiontest.Outcome{"words": fmt.Sprint(table.Words("a"))}
		}, values(data.Categories{"a": {"x"}}, data.Categories(nil))),
		"MNIST": optiontest.For(func(opts ...data.MNISTOption) optiontest.Outcome {
			set, err := data.MNIST(dir, opts...)
			require.NoError(t, err)
			defer func() { _ = set.Close() }()
			return optiontest.Outcome{"examples": fmt.Sprint(set.Len())}
		}, values(data.Train(false), data.Train(true))),
		"CIFAR10": optiontest.For(func(opts ...data.CIFAROption) optiontest.Outcome {
			return examples(t, func() (*data.TensorDataset, error) { return data.CIFAR10(cifar, opts...) })
		}, values(data.Train(false), data.Train(true))),
		"CIFAR100": optiontest.For(func(opts ...data.CIFAROption) optiontest.Outcome {
			return examples(t, func() (*data.TensorDataset, error) { return data.CIFAR100(cifar, opts...) })
		}, values(data.Train(false), data.Train(true))),
		"NewFakeData": optiontest.For(func(opts ...data.FakeDataOption) optiontest.Outcome {
			return optiontest.Outcome{"label": fmt.Sprint(data.NewFakeData(3, torch.Shape{1, 2, 2}, 1000,
				opts...).Get(2).Target.ItemInt())}
		}, values(data.RandomOffset(7), data.RandomOffset(0))),
	})
	image := torch.Tidy(func() *torch.Tensor {
		return torch.Arange(48*48).RemainderScalar(251).To(torch.Uint8).View(48, 48)
	})
	defer image.Close()
	png := values(data.CompressionLevel(9), data.CompressionLevel(0))
	fixed := func(b byte) data.Encoder {
		return func([]byte, int, int, int, int) ([]byte, error) { return []byte{b}, nil }
	}
	jpeg := []optiontest.Pair{values(data.Quality(30), data.Quality(90)), values(fixed(1), data.Encoder(nil))}
	file := filepath.Join(t.TempDir(), "image")
	written := func(err error) optiontest.Outcome {
		require.NoError(t, err)
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		return optiontest.Outcome{"file": string(b)}
	}
	maps.Copy(rows, map[string]optiontest.Row{
		"EncodePNG": optiontest.For(func(opts ...data.PNGOption) optiontest.Outcome {
			return optiontest.Outcome{"file": string(data.EncodePNG(image, opts...))}
		}, png),
		"WritePNG": optiontest.For(func(opts ...data.PNGOption) optiontest.Outcome {
			return written(data.WritePNG(image, file, opts...))
		}, png),
		"EncodeJPEG": optiontest.For(func(opts ...data.JPEGOption) optiontest.Outcome {
			return optiontest.Outcome{"file": string(data.EncodeJPEG(image, opts...))}
		}, jpeg...),
		"WriteJPEG": optiontest.For(func(opts ...data.JPEGOption) optiontest.Outcome {
			return written(data.WriteJPEG(image, file, opts...))
		}, jpeg...),
	})
	optiontest.Read(t, ".").Run(t, rows)
}

// examples returns the number of examples in a dataset.
func examples(t *testing.T, read func() (*data.TensorDataset, error)) optiontest.Outcome {
	set, err := read()
	require.NoError(t, err)
	defer func() { _ = set.Close() }()
	return optiontest.Outcome{"examples": fmt.Sprint(set.Len())}
}

// Passing the default value of an option explicitly changes nothing.
func TestLoaderDefaults(t *testing.T) {
	plain := func(opts ...data.LoaderOption) string {
		torch.ManualSeed(1)
		return batches(5, opts...)
	}
	assert.Equal(t, plain(), plain(data.BatchSize(1), data.Shuffle(false), data.DropLast(false), data.CollateFn(nil),
		data.Transform(nil), data.Generator(nil), data.Device(torch.CPU)))
	assert.Equal(t, plain(data.Shuffle(true)), plain(data.Shuffle(true), data.Generator(nil)))
}

func TestLoaderOptionMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(4)
	defer func() { _ = set.Close() }()
	for name, c := range map[string]struct {
		kind error
		want string
		fn   func()
	}{
		"batches of nothing": {torch.ErrValue, "BatchSize: expected a positive number, got 0", func() {
			data.NewLoader(set, data.BatchSize(0))
		}},
		"a negative size": {torch.ErrValue, "BatchSize: expected a positive number, got -1", func() {
			data.NewLoader(set, data.BatchSize(-1))
		}},
		"a nil option": {torch.ErrNil, "opts: a nil option", func() { data.NewLoader(set, data.BatchSize(1), nil) }},
		"a lookalike": {torch.ErrValue, "is not an option of this function", func() {
			data.NewLoader(set, struct{ data.BatchSize }{1})
		}},
		"nil for a split": {torch.ErrNil, "opts: a nil option", func() { data.RandomSplit(set, []int{4}, nil) }},
		"nil for MNIST":   {torch.ErrNil, "opts: a nil option", func() { _, _ = data.MNIST("", nil) }},
	} {
		err := torch.Try(c.fn)
		require.ErrorIs(t, err, c.kind, name)
		assert.ErrorContains(t, err, c.want, name)
	}
}

func TestStrings(t *testing.T) {
	set := counting(10)
	defer func() { _ = set.Close() }()
	loader := data.NewLoader(data.NewSubset(set, []int64{1, 2, 3}), data.BatchSize(2), data.Shuffle(true))
	assert.Equal(t, "DataLoader(Subset(3), batch_size=2, shuffle=True, drop_last=False): 2 batches", loader.String())
	assert.Equal(t, "TensorDataset(10)", set.String())
	assert.Contains(t, data.NewLoader(pairs{4}).String(), "DataLoader(pairs(4), batch_size=1, shuffle=False")
}

// Passing an option to a function that does not take it does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/data"},
		Decls:   "var (\n\tset data.Dataset\n\tg *torch.Generator\n)",
	}
	s.Accepts(t, "data.NewLoader(set, data.BatchSize(2), data.Generator(g))",
		"data.RandomSplit(set, nil, data.Generator(g))", "data.MNIST(``, data.Train(false))")
	s.Rejects(t,
		"data.NewLoader(set, 64)", "data.NewLoader(set, true)", "data.NewLoader(set, g)",
		"data.NewLoader(set, data.Train(true))",
		"data.RandomSplit(set, nil, g)", "data.RandomSplit(set, nil, data.Shuffle(true))",
		"data.MNIST(``, true)", "data.MNIST(``, data.BatchSize(2))")
}

// The same holds for readers, samplers and dataset constructors: passing an option that
// the function does not take does not compile.
func TestForeignOptionsOfReaders(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/data"},
		Decls:   "var (\n\tset data.Dataset\n\tload func(string) (*torch.Tensor, error)\n)",
	}
	s.Accepts(t,
		"data.ReadCSV(``, data.Sep(';'), data.DTypes{})",
		"data.NewCSVDataset(``, data.Sep(';'), data.Targets{`y`}, data.ShuffleBuffer(9))",
		"data.ReadImage(``, data.ImageReadModeRGB, data.MaxPixels(9))",
		"data.NewImageFolder(``, data.ImageReadModeRGB, data.WithTransform(nil), data.AllowEmpty(true))",
		"data.NewDatasetFolder(``, load, data.Extensions{`.npy`})",
		"data.NewWebDataset(nil, data.Fields{`jpg`}, data.ImageReadModeRGB, data.SplitByNode(0, 2))",
		"data.NewCacheDataset(set, data.MaxExamples(9))",
		"data.PadCollate(data.BatchFirst(true), data.PaddingValue(1))",
		"data.NewDistributedSampler(set, data.Rank(0), data.Shuffle(false))",
		"data.NewLoader(set, data.NumWorkers(2), data.Timeout(0), data.PinMemory(false))",
	)
	s.Rejects(t,
		"data.ReadCSV(``, data.Targets{`y`})",
		"data.ReadCSV(``, data.MaxPixels(9))",
		"data.NewCSVDataset(``, data.Shuffle(true))",
		"data.ReadImage(``, data.WithTransform(nil))",
		"data.NewImageFolder(``, data.Extensions{`.npy`})",
		"data.NewDatasetFolder(``, load, data.ImageReadModeRGB)",
		"data.NewWebDataset(nil, data.Extensions{`.tar`})",
		"data.NewCacheDataset(set, data.NumSamples(9))",
		"data.PadCollate(data.DropLast(true))",
		"data.NewDistributedSampler(set, data.NumWorkers(1))",
		"data.NewSubsetRandomSampler(nil, data.Replacement(true))",
		"data.NewWeightedRandomSampler(nil, 1, data.NumSamples(9))",
		"data.NewLoader(set, data.Rank(0))",
		"data.NewLoader(set, torch.PinMemory(true))",
		"data.RandomSplitFractions(set, nil, data.Seed(1))",
	)
}
