package data_test

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

type record struct {
	X     *torch.Tensor
	Label any
	Name  any
	Boxes []*torch.Tensor
	note  string
}

func TestCollate(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := func(v float32) *torch.Tensor { return torch.FromSlice([]float32{v, v + 1}) }
		assert.Equal(t, []float32{1, 2, 3, 4}, data.Collate([]any{x(1), x(3)}).(*torch.Tensor).Float32s())
		for _, c := range []struct {
			values []any
			dtype  torch.DType
		}{
			{[]any{1, 2}, torch.Int64},
			{[]any{int64(1), int64(2)}, torch.Int64},
			{[]any{int32(1), int32(2)}, torch.Int32},
			{[]any{int16(1), int16(2)}, torch.Int16},
			{[]any{int8(1), int8(2)}, torch.Int8},
			{[]any{uint8(1), uint8(2)}, torch.Uint8},
			{[]any{1.0, 2.0}, torch.Float64},
			{[]any{float32(1), float32(2)}, torch.Float32},
		} {
			b := data.Collate(c.values).(*torch.Tensor)
			assert.Equal(t, c.dtype, b.DType())
			assert.Equal(t, torch.Shape{2}, b.Shape())
			assert.Equal(t, []float64{1, 2}, b.To(torch.Float64).Float64s())
		}
		assert.Equal(t, []bool{true, false}, data.Collate([]any{true, false}).(*torch.Tensor).Bools())
		assert.Equal(t, []string{"a", "b"}, data.Collate([]any{"a", "b"}))
		assert.Equal(t, [][]byte{{1}, {2, 3}}, data.Collate([]any{[]byte{1}, []byte{2, 3}}))

		m := data.Collate([]any{
			map[string]any{"x": x(1), "n": 3, "s": "a"},
			map[string]any{"x": x(3), "n": 4, "s": "b"},
		}).(map[string]any)
		assert.Equal(t, []int64{3, 4}, m["n"].(*torch.Tensor).Int64s())
		assert.Equal(t, []string{"a", "b"}, m["s"])
		assert.IsType(t, map[string]*torch.Tensor{},
			data.Collate([]any{map[string]int{"a": 1}, map[string]int{"a": 2}}))

		list := data.Collate([]any{[]int{1, 2, 3}, []int{4, 5, 6}}).([]*torch.Tensor)
		require.Len(t, list, 3)
		assert.Equal(t, []int64{3, 6}, list[2].Int64s())

		r := data.Collate([]any{
			record{X: x(1), Label: 7, Name: "a", Boxes: []*torch.Tensor{x(1)}, note: "first"},
			record{X: x(3), Label: 8, Name: "b", Boxes: []*torch.Tensor{x(5)}, note: "second"},
		}).(record)
		assert.Equal(t, torch.Shape{2, 2}, r.X.Shape())
		assert.Equal(t, []int64{7, 8}, r.Label.(*torch.Tensor).Int64s())
		assert.Equal(t, []string{"a", "b"}, r.Name)
		assert.Equal(t, torch.Shape{2, 2}, r.Boxes[0].Shape())
		assert.Equal(t, "first", r.note)
		p := data.Collate([]any{&record{X: x(1), Label: 1, Name: "a"}, &record{X: x(1), Label: 1, Name: "b"}}).(*record)
		assert.Equal(t, torch.Shape{2, 2}, p.X.Shape())
		e := data.Collate([]any{data.Example{Input: x(1)}, data.Example{Input: x(1)}}).(data.Example)
		assert.Equal(t, torch.Shape{2, 2}, e.Input.Shape())
	})
}

type narrow struct{ Label int }

type (
	listOfItself []listOfItself
	mapOfItself  map[string]mapOfItself
)

func TestCollateMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := torch.Zeros(torch.Shape{2}), torch.Zeros(torch.Shape{3})
		live := torch.NumLiveTensors()
		for _, c := range []struct {
			kind   error
			text   string
			values []any
		}{
			{torch.ErrValue, "an empty list", nil},
			{torch.ErrShape, "values of example 2 has shape (3,), but (2,) in example 0", []any{a, a, b}},
			{
				torch.ErrShape, "values[x] of example 1",
				[]any{map[string]any{"y": 1, "x": a}, map[string]any{"y": 2, "x": b}},
			},
			{
				torch.ErrValue, "values[x]: example 1 lacks this key",
				[]any{map[string]int{"x": 1}, map[string]int{"y": 1}},
			},
			{
				torch.ErrValue, "values[y]: example 2 has this key, but example 0 lacks it",
				[]any{map[string]int{"x": 1}, map[string]int{"x": 1}, map[string]int{"x": 1, "y": 1}},
			},
			{torch.ErrType, "example 1 has a string, but example 0 has a int", []any{1, "a"}},
			{torch.ErrType, "example 1 contains nil, which cannot be collated", []any{1, nil}},
			{torch.ErrType, "values of type func() cannot be collated", []any{func() {}}},
			{
				torch.ErrType, "values.Label: a batch of int is a *torch.Tensor, which this field cannot hold",
				[]any{narrow{1}},
			},
			{torch.ErrShape, "example 1 has 2 elements, but example 0 has 1", []any{[]int{1}, []int{1, 2}}},
			{torch.ErrNil, "example 0 has a nil tensor", []any{(*torch.Tensor)(nil)}},
			{torch.ErrNil, "example 0 has a nil *data_test.record", []any{(*record)(nil)}},
			{torch.ErrType, "contains itself and cannot be collated", []any{listOfItself{}}},
			{torch.ErrType, "contains itself and cannot be collated", []any{mapOfItself{}}},
		} {
			err := torch.Try(func() { data.Collate(c.values) })
			require.ErrorIs(t, err, c.kind, c.text)
			assert.ErrorContains(t, err, c.text)
			assert.Equal(t, live, torch.NumLiveTensors(), c.text)
		}
		err := torch.Try(func() { data.Stack([]data.Example{{Input: a}, {Input: b}}) })
		assert.ErrorContains(t, err, "Input of example 1 has shape (3,), but (2,) in example 0; give all examples "+
			"one shape with a transform, such as Resize for images")
		err = torch.Try(func() {
			data.Stack([]data.Example{{Input: a, Target: a}, {Input: a, Extra: []*torch.Tensor{}}})
		})
		assert.ErrorIs(t, err, torch.ErrValue)
	})
}

// In every kind of loop, a loader joins the Values of examples, including the tensors in
// them.
func TestValues(t *testing.T) {
	g := got{4, func(i int) (data.Example, error) {
		return data.Example{
			Input: torch.Full(torch.Shape{}, i),
			Value: map[string]any{"x": torch.Full(torch.Shape{2}, i), "name": string(rune('a' + i))},
		}, nil
	}}
	g.each(t, func(t *testing.T, l *data.Loader, loop func(*data.Loader, func(data.Batch) bool) error, workers int) {
		var names []string
		var last *torch.Tensor
		require.NoError(t, loop(l, func(b data.Batch) bool {
			m := b.Value.(map[string]any)
			last = m["x"].(*torch.Tensor)
			assert.Equal(t, torch.Shape{2, 2}, last.Shape())
			names = append(names, m["name"].([]string)...)
			return true
		}))
		assert.True(t, last.IsClosed())
		assert.Len(t, names, 4)
		assert.Equal(t, workers < 2 || l.Dataset() != nil, assert.ObjectsAreEqual([]string{"a", "b", "c", "d"}, names))
	}, data.BatchSize(2), data.Device(torch.CPU))
}

// A Value may contain nil tensors.
func TestValuesWithoutATensor(t *testing.T) {
	type pair struct{ Have, Lack *torch.Tensor }
	g := got{3, func(i int) (data.Example, error) {
		return data.Example{Input: torch.Full(torch.Shape{}, i), Value: &pair{Have: torch.Full(torch.Shape{2}, i)}}, nil
	}}
	g.each(t, func(t *testing.T, l *data.Loader, loop func(*data.Loader, func(data.Batch) bool) error, _ int) {
		n := 0
		require.NoError(t, loop(l, func(b data.Batch) bool {
			p := b.Value.(*pair)
			assert.Equal(t, torch.Shape{2}, p.Have.Shape())
			assert.Nil(t, p.Lack)
			n++
			return true
		}))
		assert.Equal(t, 3, n)
	}, data.BatchSizeNone, data.Device(torch.CPU))
}

func TestPadCollate(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := got{3, func(i int) (data.Example, error) {
		return data.Example{
			Input: torch.Full(torch.Shape{int64(i + 1)}, i+1), Target: torch.Full(torch.Shape{}, i),
			Extra: []*torch.Tensor{torch.Full(torch.Shape{int64(3 - i), 2}, i)},
		}, nil
	}}
	for b := range data.NewLoader(g, data.BatchSize(3),
		data.PadCollate(data.BatchFirst(true), data.PaddingValue(-1))).All() {
		assert.Equal(t, []int64{1, -1, -1, 2, 2, -1, 3, 3, 3}, b.Input.Int64s())
		assert.Equal(t, []int64{0, 1, 2}, b.Target.Int64s())
		require.Len(t, b.Extra, 3)
		assert.Equal(t, torch.Shape{3, 3, 2}, b.Extra[0].Shape())
		assert.Equal(t, []int64{1, 2, 3}, b.Extra[1].Int64s())
		assert.Equal(t, []int64{3, 2, 1}, b.Extra[2].Int64s())
	}
	live := torch.NumLiveTensors()
	torch.Scope(func() {
		a, b, c := torch.Zeros(torch.Shape{2, 2}), torch.Zeros(torch.Shape{1, 3}), torch.Zeros(torch.Shape{})
		pad := data.PadCollate()
		assert.ErrorContains(t, torch.Try(func() { pad([]data.Example{{Input: a}, {Input: b}}) }),
			"Input of example 1 has shape (1, 3), but (2, 2) in example 0")
		assert.ErrorIs(t, torch.Try(func() { pad([]data.Example{{Input: c}}) }), torch.ErrShape)
		assert.ErrorIs(t, torch.Try(func() {
			pad([]data.Example{{Input: a, Target: a}, {Input: a, Target: b}})
		}), torch.ErrShape)
		assert.ErrorIs(t, torch.Try(func() { pad(nil) }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { pad([]data.Example{{Input: a}, {}}) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { data.PadCollate(nil) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() {
			pad([]data.Example{{Input: torch.Zeros(torch.Shape{2})}, {Input: torch.Zeros(torch.Shape{3}, torch.Int64)}})
		}), torch.ErrDType)
	})
	assert.Equal(t, live, torch.NumLiveTensors())
}

func TestCacheDataset(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var mu sync.Mutex
	reads := map[int]int{}
	fails := true
	d := data.NewFuncDataset(6, func(i int) (data.Example, error) {
		mu.Lock()
		defer mu.Unlock()
		reads[i]++
		if i == 3 && fails {
			fails = false
			return data.Example{}, errUnread
		}
		return data.Example{Input: torch.Full(torch.Shape{}, i)}, nil
	})
	c := data.NewCacheDataset(d, data.MaxExamples(4))
	assert.Equal(t, "CacheDataset(6)", c.String())
	_, err := c.TryGet(3)
	require.ErrorIs(t, err, errUnread)
	for workers := range 3 {
		var sum int64
		for b := range data.NewLoader(c, data.BatchSize(2), data.NumWorkers(workers)).All() {
			sum += b.Input.Sum().ItemInt()
		}
		assert.EqualValues(t, 15, sum)
	}
	assert.Equal(t, map[int]int{0: 1, 1: 1, 2: 1, 3: 2, 4: 3, 5: 3}, reads)
	assert.Equal(t, 4, c.Kept())
	first := c.Get(0).Input
	assert.Same(t, first, c.Get(0).Input)
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	assert.ErrorIs(t, torch.Try(func() { c.Get(0) }), torch.ErrClosed)
	assert.ErrorIs(t, torch.Try(func() { (*data.CacheDataset)(nil).Get(0) }), torch.ErrNil)
	assert.ErrorIs(t, torch.Try(func() { data.NewCacheDataset(nil) }), torch.ErrNil)
	assert.ErrorIs(t, torch.Try(func() { data.NewCacheDataset(d, data.MaxExamples(-1)) }), torch.ErrValue)
}

func TestFuncDatasets(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	get := func(i int) (data.Example, error) { return data.Example{Input: torch.Full(torch.Shape{}, i)}, nil }
	f := data.NewFuncDataset(3, get)
	assert.Equal(t, "FuncDataset(3)", f.String())
	assert.ErrorIs(t, torch.Try(func() { f.Get(3) }), torch.ErrIndex)
	assert.ErrorIs(t, torch.Try(func() { data.NewFuncDataset(-1, get) }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { data.NewFuncDataset(1, nil) }), torch.ErrNil)
	assert.ErrorIs(t, torch.Try(func() { (*data.FuncDataset)(nil).Get(0) }), torch.ErrNil)

	chain := data.NewChainDataset(drawnStream{3}, data.IterableFunc(drawnStream{2}.Iterate))
	assert.Equal(t, "ChainDataset(2 parts)", chain.String())
	for workers := range 3 {
		n := 0
		for b := range data.NewIterableLoader(chain, data.BatchSize(2), data.NumWorkers(workers)).All() {
			n += int(b.Input.Shape()[0])
		}
		assert.Equal(t, 5, n)
	}
	bad := data.NewChainDataset(drawnStream{3}, data.IterableFunc(func(data.WorkerInfo, func(data.Example) bool) error {
		return errUnread
	}), drawnStream{2})
	assert.ErrorIs(t, torch.Try(func() { data.NewIterableLoader(bad).Each(all) }), errUnread)
	for range data.NewIterableLoader(bad).All() {
		break // the loop ends before the error occurs
	}
	assert.ErrorIs(t, torch.Try(func() { data.NewChainDataset() }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { data.NewChainDataset(nil) }), torch.ErrNil)
	assert.ErrorIs(t, torch.Try(func() { _ = (*data.ChainDataset)(nil).Iterate(data.WorkerInfo{}, nil) }), torch.ErrNil)
}

func TestRandomSplitFractions(t *testing.T) {
	d := drawing(10)
	torch.ManualSeed(1)
	want := data.RandomSplit(d, []int{4, 3, 3})
	torch.ManualSeed(1)
	// lengths 3, 3 and 3, and the remaining example goes to the first part
	got := data.RandomSplitFractions(d, []float64{0.35, 0.35, 0.3})
	for k := range want {
		assert.Equal(t, want[k].Indices(), got[k].Indices())
	}
	for _, f := range [][]float64{nil, {0.5}, {0.5, 0.6}, {-0.5, 1.5}, {math.NaN(), 1}} {
		assert.ErrorIs(t, torch.Try(func() { data.RandomSplitFractions(d, f) }), torch.ErrValue, "%v", f)
	}
	assert.ErrorIs(t, torch.Try(func() { data.RandomSplitFractions(nil, []float64{1}) }), torch.ErrNil)
	assert.NoError(t, errors.Join(torch.Try(func() { data.RandomSplitFractions(d, []float64{1}) })))
}
