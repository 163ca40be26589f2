package data_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// batches returns what a loader over 0 to n-1 yields in one epoch.
func batches(n int, opts ...data.LoaderOption) (out [][]int64) {
	set := counting(n)
	defer func() { _ = set.Close() }()
	for b := range data.NewLoader(set, opts...).All() {
		out = append(out, b.Input.Int64s())
	}
	return out
}

func generator(seed uint64) data.GeneratorOption {
	return data.Generator(torch.NewGenerator(torch.CPU).ManualSeed(seed))
}

// loaderOptions has a row for each option of NewLoader: with and without are
// two of its values, the second of which is the default, and with has to show in
// the batches of 0 to 4. The options in beside are given in either case.
var loaderOptions = map[string]struct {
	with, without data.LoaderOption
	beside        []data.LoaderOption
}{
	"BatchSize": {with: data.BatchSize(2), without: data.BatchSize(1)},
	"Shuffle":   {with: data.Shuffle(true), without: data.Shuffle(false)},
	"DropLast":  {with: data.DropLast(true), without: data.DropLast(false), beside: []data.LoaderOption{data.BatchSize(2)}},
	"CollateFn": {
		with:    data.CollateFn(func(es []data.Example) data.Example { return data.Example{Input: es[0].Input.AddScalar(7)} }),
		without: data.CollateFn(nil),
	},
	"Transform": {
		with:    data.Transform(func(e data.Example) data.Example { return data.Example{Input: e.Input.AddScalar(7)} }),
		without: data.Transform(nil),
	},
	"GeneratorOption": {with: generator(42), without: data.Generator(nil), beside: []data.LoaderOption{data.Shuffle(true)}},
	"Device":          {with: data.Device(torch.Meta), without: data.Device(torch.CPU)},
}

// Each option takes effect, can be said to be what it is without it, and counts
// as it was given last.
func TestLoaderOptions(t *testing.T) {
	assert.ElementsMatch(t, optionsOf(t, "loaderOption"), keys(loaderOptions), "every option has a row")
	assert.ElementsMatch(t, optionsOf(t, "splitOption"), []string{"GeneratorOption"}, "TestRandomSplitDrawsAsPython, TestSplitOptions")
	assert.ElementsMatch(t, optionsOf(t, "mnistOption"), []string{"Train"}, "TestMNIST")
	for name, c := range loaderOptions {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			run := func(opts ...data.LoaderOption) any {
				torch.ManualSeed(1)
				if name == "Device" {
					return devices(opts...)
				}
				return batches(5, append(append([]data.LoaderOption{}, c.beside...), opts...)...)
			}
			plain := run()
			assert.Equal(t, plain, run(c.without), "the default, said")
			assert.Equal(t, plain, run(c.with, c.without), "the last one counts")
			if name == "GeneratorOption" { // each run draws from it
				c.with = generator(42)
			}
			shown := run(c.with)
			assert.NotEqual(t, plain, shown, "the option alone")
			if name == "GeneratorOption" {
				c.with = generator(42)
			}
			assert.Equal(t, shown, run(c.without, c.with), "the last one counts")
		})
	}
}

func devices(opts ...data.LoaderOption) (out []torch.Device) {
	set := counting(3)
	defer func() { _ = set.Close() }()
	for b := range data.NewLoader(set, opts...).All() {
		out = append(out, b.Input.Device())
	}
	return out
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

func TestSplitOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(20)
	defer func() { _ = set.Close() }()
	split := func(opts ...data.SplitOption) []int64 {
		torch.ManualSeed(1)
		return data.RandomSplit(set, []int{20}, opts...)[0].Indices()
	}
	assert.Equal(t, split(), split(data.Generator(nil)))
	assert.Equal(t, split(), split(generator(42), data.Generator(nil)), "the last one counts")
	assert.NotEqual(t, split(), split(generator(42)))
	assert.Equal(t, split(generator(42)), split(data.Generator(nil), generator(42)))
}

// optionsOf lists the types of the package that have the given method.
func optionsOf(t *testing.T, method string) (names []string) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == method {
				names = append(names, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	return names
}

func keys[V any](m map[string]V) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
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
