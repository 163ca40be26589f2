package data_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// batches says what a loader over 0 to n-1 yields in one epoch, and where it is.
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

// Each option of each function alone, after another value, and beside a nil one.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	writeMNIST(t, dir, "train", 12, true)
	writeMNIST(t, dir, "t10k", 3, false)
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
			// An order that is drawn, and a last batch that is not full.
			base := []data.LoaderOption{data.BatchSize(2), data.Shuffle(true)}
			for _, o := range opts {
				switch o.(type) {
				case data.SamplerOption, data.BatchSamplerOption:
					base = nil // which a sampler excludes
				}
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
		),
		"RandomSplit": optiontest.For(func(opts ...data.SplitOption) optiontest.Outcome {
			set := counting(20)
			defer func() { _ = set.Close() }()
			torch.ManualSeed(1)
			return optiontest.Outcome{"indices": fmt.Sprint(data.RandomSplit(set, []int{20}, opts...)[0].Indices())}
		}, drawn),
		"MNIST": optiontest.For(func(opts ...data.MNISTOption) optiontest.Outcome {
			set, err := data.MNIST(dir, opts...)
			require.NoError(t, err)
			defer func() { _ = set.Close() }()
			return optiontest.Outcome{"examples": fmt.Sprint(set.Len())}
		}, values(data.Train(false), data.Train(true))),
	})
	optiontest.Read(t, ".").Run(t, rows)
}

// Each default can be said.
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
		"batches of nothing": {torch.ErrValue, "BatchSize: expected a positive number, got 0", func() { data.NewLoader(set, data.BatchSize(0)) }},
		"a negative size":    {torch.ErrValue, "BatchSize: expected a positive number, got -1", func() { data.NewLoader(set, data.BatchSize(-1)) }},
		"a nil option":       {torch.ErrNil, "opts: a nil option", func() { data.NewLoader(set, data.BatchSize(1), nil) }},
		"a lookalike":        {torch.ErrValue, "no option of this function", func() { data.NewLoader(set, struct{ data.BatchSize }{1}) }},
		"nil for a split":    {torch.ErrNil, "opts: a nil option", func() { data.RandomSplit(set, []int{4}, nil) }},
		"nil for MNIST":      {torch.ErrNil, "opts: a nil option", func() { _, _ = data.MNIST("", nil) }},
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

// An option that does not apply does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/data"},
		Decls:   "var (\n\tset data.Dataset\n\tg *torch.Generator\n)",
	}
	s.Accepts(t, "data.NewLoader(set, data.BatchSize(2), data.Generator(g))", "data.RandomSplit(set, nil, data.Generator(g))", "data.MNIST(``, data.Train(false))")
	s.Rejects(t,
		"data.NewLoader(set, 64)", "data.NewLoader(set, true)", "data.NewLoader(set, g)", "data.NewLoader(set, data.Train(true))",
		"data.RandomSplit(set, nil, g)", "data.RandomSplit(set, nil, data.Shuffle(true))",
		"data.MNIST(``, true)", "data.MNIST(``, data.BatchSize(2))")
}
