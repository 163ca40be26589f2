package data_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// goldens holds Python's results from testdata/make_loader.py.
type goldens struct {
	Loader []struct {
		N            int
		BatchSize    int `json:"batch_size"`
		Shuffle      bool
		DropLast     bool `json:"drop_last"`
		Own          bool
		Stop         *int
		Seed         uint64
		Len          int
		Epochs       [][][]int64
		DefaultState []int64 `json:"default_state"`
		OwnState     []int64 `json:"own_state"`
	}
	Split []struct {
		N            int
		Lengths      []int
		Own          bool
		Seed         uint64
		Parts        [][]int64
		DefaultState []int64 `json:"default_state"`
	}
}

func readGoldens(t *testing.T) (g goldens) {
	text, err := os.ReadFile("testdata/loader.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	return g
}

// next returns the next random numbers of a generator, which identify its state.
func next(g *torch.Generator) []int64 {
	return torch.RandInt(0, 1<<31, torch.Shape{4}, g).Int64s()
}

func counting(n int) *data.TensorDataset {
	return data.NewTensorDataset(torch.Disown(torch.Arange(0, n, 1)))
}

// plain hides those methods of a dataset that return whole batches.
type plain struct{ data.Dataset }

func TestLoaderDrawsAsPython(t *testing.T) {
	for _, g := range readGoldens(t).Loader {
		for _, fast := range []bool{true, false} {
			name := fmt.Sprintf("n=%d,batch=%d,shuffle=%v,drop=%v,own=%v,stop=%v,fast=%v", g.N, g.BatchSize, g.Shuffle,
				g.DropLast, g.Own, g.Stop != nil, fast)
			t.Run(name, func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				torch.ManualSeed(g.Seed)
				opts := []data.LoaderOption{
					data.BatchSize(g.BatchSize), data.Shuffle(g.Shuffle),
					data.DropLast(g.DropLast),
				}
				var own *torch.Generator
				if g.Own {
					own = torch.NewGenerator(torch.CPU).ManualSeed(g.Seed + 1)
					opts = append(opts, data.Generator(own))
				}
				set := counting(g.N)
				defer func() { _ = set.Close() }()
				var d data.Dataset = set
				if !fast {
					d = plain{set}
				}
				loader := data.NewLoader(d, opts...)
				assert.Equal(t, g.Len, loader.Len())
				for _, want := range g.Epochs {
					got := [][]int64{}
					for b := range loader.All() {
						require.Equal(t, len(got), b.Index)
						got = append(got, b.Input.Int64s())
						if g.Stop != nil && len(got) == *g.Stop {
							break
						}
					}
					assert.Equal(t, want, got)
				}
				assert.Equal(t, g.DefaultState, next(torch.DefaultGenerator(torch.CPU)),
					"state of the default generator")
				if g.Own {
					assert.Equal(t, g.OwnState, next(own), "state of the loader's generator")
				}
			})
		}
	}
}

func TestRandomSplitDrawsAsPython(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, g := range readGoldens(t).Split {
		torch.ManualSeed(g.Seed)
		var gen *torch.Generator
		if g.Own {
			gen = torch.NewGenerator(torch.CPU).ManualSeed(g.Seed + 1)
		}
		set := counting(g.N)
		var got [][]int64
		for _, part := range data.RandomSplit(set, g.Lengths, data.Generator(gen)) {
			assert.Equal(t, len(part.Indices()), part.Len())
			got = append(got, append([]int64{}, part.Indices()...))
		}
		assert.Equal(t, g.Parts, got)
		assert.Equal(t, g.DefaultState, next(torch.DefaultGenerator(torch.CPU)))
		_ = set.Close()
	}
}

// pairs is a dataset of n examples, which it makes when they are requested.
type pairs struct{ n int }

func (p pairs) Len() int { return p.n }

func (p pairs) Get(i int) data.Example {
	x := torch.FromSlice([]float32{float32(i), float32(2 * i)})
	scratch := torch.Zeros(torch.Shape{1000}) // the loop must free this tensor
	_ = scratch
	return data.Example{
		Input: x, Target: torch.Full(torch.Shape{}, i),
		Extra: []*torch.Tensor{torch.Ones(torch.Shape{1, 2})},
	}
}

func TestLoaderStacksExamples(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	loader := data.NewLoader(pairs{5}, data.BatchSize(2))
	var shapes []string
	for b := range loader.All() {
		// A batch has three tensors. The tensors of the examples, and temporary ones, must
		// be freed.
		live := torch.NumLiveTensors()
		require.Len(t, b.Extra, 1)
		shapes = append(shapes, fmt.Sprint(b.Input.Shape(), b.Target.Shape(), b.Extra[0].Shape(), b.Target.DType()))
		_ = b.Input.Close()
		_ = b.Target.Close()
		_ = b.Extra[0].Close()
		assert.Equal(t, live-3, torch.NumLiveTensors())
	}
	assert.Equal(t,
		[]string{"(2, 2) (2,) (2, 1, 2) int64", "(2, 2) (2,) (2, 1, 2) int64", "(1, 2) (1,) (1, 1, 2) int64"}, shapes)
}

// The examples are freed before the batch is transformed.
func TestExamplesAreFreedBeforeTransform(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	before := torch.NumLiveTensors()
	var first data.Example
	collate := func(es []data.Example) data.Example {
		first = es[0]
		return data.Stack(es)
	}
	var raw, batch *torch.Tensor
	transform := func(e data.Example) data.Example {
		assert.True(t, first.Input.IsClosed())
		assert.Equal(t, before+3, torch.NumLiveTensors(), "the batch alone")
		raw, batch = e.Input, e.Input.MulScalar(2)
		e.Input.MulScalar(3)
		return data.Example{Input: batch, Target: e.Target}
	}
	for b := range data.NewLoader(pairs{4}, data.BatchSize(2), data.CollateFn(collate),
		data.Transform(transform)).All() {
		assert.Same(t, batch, b.Input)
		assert.True(t, raw.IsClosed())
		assert.Equal(t, before+2, torch.NumLiveTensors())
	}
}

func TestStepEndsOnBreakReturnAndPanic(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(10)
	defer func() { _ = set.Close() }()
	loader := data.NewLoader(set, data.BatchSize(3), data.Shuffle(true))
	start := torch.NumLiveTensors()

	var kept *torch.Tensor
	for b := range loader.All() {
		kept = b.Input
		break
	}
	assert.True(t, kept.IsClosed(), "the batch is freed by break")

	func() {
		for b := range loader.All() {
			kept = b.Input
			return
		}
	}()
	assert.True(t, kept.IsClosed(), "the batch is freed by return")

	assert.PanicsWithValue(t, "stop", func() {
		for b := range loader.All() {
			kept = b.Input
			panic("stop")
		}
	})
	assert.True(t, kept.IsClosed(), "the batch is freed by panic")
	assert.Equal(t, start, torch.NumLiveTensors())
	assert.False(t, torch.InScope())

	loader.Each(func(b data.Batch) bool {
		kept = torch.Keep(b.Input)
		return false
	})
	assert.False(t, kept.IsClosed(), "Keep moves a batch out")
	_ = kept.Close()
}

func TestInputsAreThoseOfAll(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(5)
	defer func() { _ = set.Close() }()
	loader := data.NewLoader(set, data.BatchSize(2))
	var want, got [][]float32
	for b := range loader.All() {
		want = append(want, b.Input.Float32s())
	}
	var last *torch.Tensor
	for x := range loader.Inputs() {
		got = append(got, x.Float32s())
		last = x
	}
	assert.Equal(t, want, got)
	assert.True(t, last.IsClosed(), "a step frees its batch")
	for x := range loader.Inputs() {
		last = x
		break
	}
	assert.True(t, last.IsClosed(), "so does break")
	require.ErrorIs(t, torch.Try(func() {
		for range new(data.Loader).Inputs() {
			t.Error("a loader without a dataset yields nothing")
		}
	}), torch.ErrNil)
}

func TestAllContextStopsBetweenSteps(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(10)
	defer func() { _ = set.Close() }()
	loader := data.NewLoader(set, data.BatchSize(2))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	steps := 0
	for range loader.AllContext(ctx) {
		if steps++; steps == 2 {
			cancel()
		}
	}
	assert.Equal(t, 2, steps)
	for range loader.AllContext(ctx) {
		t.Error("a cancelled context yields nothing")
	}
}

func TestTransformAndCollate(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := data.NewTensorDataset(torch.FromSlice([]uint8{0, 51, 255, 102}, 4, 1), torch.FromSlice([]int64{0, 1, 2, 3}))
	defer func() { _ = set.Close() }()
	loader := data.NewLoader(set, data.BatchSize(4), data.Transform(data.Normalize(0.5, 0.25)))
	for b := range loader.All() {
		torchtest.AllClose(t, torch.FromSlice([]float32{-2, -1.2, 2, -0.4}, 4, 1), b.Input)
		assert.Equal(t, []int64{0, 1, 2, 3}, b.Target.Int64s())
		assert.Equal(t, torch.Uint8, set.Tensors()[0].DType(), "the dataset is unchanged")
	}

	// If a CollateFn returns the dataset's own tensors, the loader does not close them.
	own := data.NewLoader(set, data.CollateFn(func(es []data.Example) data.Example {
		assert.Len(t, es, 1)
		return data.Example{Input: set.Tensors()[0]}
	}), data.Transform(data.Normalize(0, 1)))
	n := 0
	for b := range own.All() {
		n++
		assert.Nil(t, b.Target)
		assert.Equal(t, torch.Float32, b.Input.DType())
	}
	assert.Equal(t, 4, n)
	assert.False(t, set.Tensors()[0].IsClosed())

	for _, dt := range []torch.DType{torch.Float64, torch.Int64, torch.Float16} {
		torch.Scope(func() {
			out := data.Normalize(1, 2)(data.Example{Input: torch.Full(torch.Shape{2}, 5, dt)})
			want := dt
			if dt == torch.Int64 {
				want = torch.Float32
			}
			torchtest.AllClose(t, torch.Full(torch.Shape{2}, 2, want), out.Input)
		})
	}
}

func TestSubset(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	set := counting(10)
	defer func() { _ = set.Close() }()
	odd := data.NewSubset(set, []int64{1, 3, 5, 7, 9})
	last := data.NewSubset(odd, []int64{4, 3})
	for _, d := range []data.Dataset{last, plain{last}} {
		for b := range data.NewLoader(d, data.BatchSize(5)).All() {
			assert.Equal(t, []int64{9, 7}, b.Input.Int64s())
		}
	}
	assert.ErrorIs(t, torch.Try(func() { odd.Get(5) }), torch.ErrIndex)
	assert.ErrorIs(t, torch.Try(func() { data.NewSubset(set, []int64{10}) }), torch.ErrIndex)
	assert.ErrorIs(t, torch.Try(func() { data.NewSubset(nil, nil) }), torch.ErrNil)
	assert.ErrorIs(t, torch.Try(func() { data.RandomSplit(set, []int{5, 4}) }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { data.RandomSplit(set, []int{11, -1}) }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { data.RandomSplit(nil, nil) }), torch.ErrNil)
}

func TestTensorDataset(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, y, z := torch.Rand(torch.Shape{4, 3}), torch.Arange(0, 4, 1), torch.Zeros(torch.Shape{4})
		d := data.NewTensorDataset(x, y, z)
		assert.Equal(t, 4, d.Len())
		e := d.Get(2)
		assert.True(t, e.Input.SharesStorage(x), "an example is a view")
		assert.Equal(t, int64(2), e.Target.ItemInt())
		require.Len(t, e.Extra, 1)
		b := d.Batch([]int64{3, 3, 0})
		assert.False(t, b.Input.SharesStorage(x), "a batch is a copy")
		assert.Equal(t, []int64{3, 3, 0}, b.Target.Int64s())
		assert.Equal(t, slices.Concat(x.Float32s()[9:12], x.Float32s()[9:12], x.Float32s()[:3]), b.Input.Float32s())
		assert.Equal(t, torch.Shape{0, 3}, d.Batch(nil).Input.Shape())
	})
}

func TestBadArguments(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		closed := torch.Zeros(torch.Shape{2})
		_ = closed.Close()
		set := data.NewTensorDataset(torch.Zeros(torch.Shape{2, 2}))
		empty := data.NewTensorDataset(torch.Zeros(torch.Shape{0, 2}))
		ragged := data.NewLoader(raggedDataset{}, data.BatchSize(2))
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"no tensors":      {torch.ErrValue, func() { data.NewTensorDataset() }},
			"a nil tensor":    {torch.ErrNil, func() { data.NewTensorDataset(nil) }},
			"a closed tensor": {torch.ErrClosed, func() { data.NewTensorDataset(closed) }},
			"a scalar":        {torch.ErrShape, func() { data.NewTensorDataset(torch.Zeros(torch.Shape{})) }},
			"different lengths": {torch.ErrShape, func() {
				data.NewTensorDataset(torch.Zeros(torch.Shape{2}), torch.Zeros(torch.Shape{3}))
			}},
			"example out of range": {torch.ErrIndex, func() { set.Get(2) }},
			"batch out of range":   {torch.ErrIndex, func() { set.Batch([]int64{0, 2}) }},
			"negative index":       {torch.ErrIndex, func() { set.Batch([]int64{-1}) }},
			"negative example":     {torch.ErrIndex, func() { set.Get(-1) }},
			"no dataset":           {torch.ErrNil, func() { data.NewLoader(nil) }},
			"negative batch size":  {torch.ErrValue, func() { data.NewLoader(set, data.BatchSize(-1)) }},
			"shuffled nothing":     {torch.ErrValue, func() { data.NewLoader(empty, data.Shuffle(true)) }},
			"no examples":          {torch.ErrValue, func() { data.Stack(nil) }},
			"uneven examples": {torch.ErrValue, func() {
				data.Stack([]data.Example{set.Get(0), {Input: set.Get(0).Input, Target: closed}})
			}},
			"ragged examples": {torch.ErrShape, func() { ragged.Each(func(data.Batch) bool { return true }) }},
			"no deviation":    {torch.ErrValue, func() { data.Normalize(0, 0) }},
		} {
			assert.ErrorIs(t, torch.Try(c.fn), c.kind, name)
		}
		for range data.NewLoader(empty).All() {
			t.Error("an empty dataset has no batches")
		}
		_ = set.Close()
		assert.ErrorIs(t, torch.Try(func() { set.Get(0) }), torch.ErrClosed)
	})
	assert.False(t, torch.InScope())
}

type raggedDataset struct{}

func (raggedDataset) Len() int { return 4 }

func (raggedDataset) Get(i int) data.Example {
	return data.Example{Input: torch.Zeros(torch.Shape{int64(i + 1)})}
}
