package data_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// counted is a dataset whose length is the number itself.
type counted int

func (c counted) Len() int           { return int(c) }
func (counted) Get(int) data.Example { return data.Example{} }

func TestUnusableDatasets(t *testing.T) {
	closed := torch.Ones(torch.Shape{2})
	_ = closed.Close()
	shut := data.NewTensorDataset(torch.Ones(torch.Shape{2}))
	_ = shut.Close()
	one := data.NewTensorDataset(torch.Ones(torch.Shape{2}))
	defer one.Close()
	for _, c := range []struct {
		op   string
		kind error
		call func()
	}{
		{"data.NewLoader", torch.ErrNil, func() { data.NewLoader((*data.TensorDataset)(nil)) }},
		{"data.NewLoader", torch.ErrValue, func() { data.NewLoader(counted(-1)) }},
		{"data.NewSubset", torch.ErrNil, func() { data.NewSubset((*data.Subset)(nil), nil) }},
		{"data.NewSubset", torch.ErrValue, func() { data.NewSubset(counted(-1), nil) }},
		{"data.RandomSplit", torch.ErrNil, func() { data.RandomSplit((*data.Subset)(nil), nil) }},
		{"data.Loader.Len", torch.ErrNil, func() { new(data.Loader).Len() }},
		{"data.Loader.Each", torch.ErrNil, func() { (*data.Loader)(nil).Each(func(data.Batch) bool { return true }) }},
		{"data.NewTensorDataset", torch.ErrNil, func() { data.NewTensorDataset(nil) }},
		{"data.NewTensorDataset", torch.ErrClosed, func() { data.NewTensorDataset(closed) }},
		{"data.TensorDataset.Batch", torch.ErrClosed, func() { shut.Batch([]int64{0}) }},
		{"data.Loader.AllContext", torch.ErrNil, func() {
			for range data.NewLoader(one).AllContext(nil) { //nolint:staticcheck // a nil context is the test
				t.Error("a batch without a context")
			}
		}},
		{"data.Loader.All", torch.ErrNil, func() {
			for range new(data.Loader).All() {
				t.Error("a batch without a dataset")
			}
		}},
		{"data.Loader.Iter", torch.ErrNil, func() { new(data.Loader).Iter() }},
		//nolint:staticcheck // a nil context is the test
		{"data.Loader.IterContext", torch.ErrNil, func() { data.NewLoader(one).IterContext(nil) }},
		{"data.Iter.Next", torch.ErrNil, func() { new(data.Iter).Next() }},
		{"data.Iter.Batch", torch.ErrNil, func() { (*data.Iter)(nil).Batch() }},
		{"data.Iter.Err", torch.ErrNil, func() { _ = new(data.Iter).Err() }},
		{"data.TensorDataset.Get", torch.ErrIndex, func() { one.Get(2) }},
		{"data.TensorDataset.Get", torch.ErrIndex, func() { one.Get(-1) }},
		{"data.TensorDataset.Get", torch.ErrNil, func() { (*data.TensorDataset)(nil).Get(0) }},
		{"data.TensorDataset.Batch", torch.ErrNil, func() { (*data.TensorDataset)(nil).Batch(nil) }},
		{"data.Subset.Get", torch.ErrNil, func() { (*data.Subset)(nil).Get(0) }},
		{"data.CacheDataset.Len", torch.ErrNil, func() { (*data.CacheDataset)(nil).Len() }},
		{"data.CacheDataset.Kept", torch.ErrNil, func() { new(data.CacheDataset).Kept() }},
		{"data.CacheDataset.Get", torch.ErrNil, func() { new(data.CacheDataset).Get(0) }},
		{"data.NewConcatDataset", torch.ErrValue, func() {
			data.NewConcatDataset(counted(3), counted(math.MaxInt), counted(0))
		}},
		{"data.RandomSplitFractions", torch.ErrNil, func() { data.RandomSplitFractions(one, []float64{1}, nil) }},
		{"data.RandomSplit", torch.ErrNil, func() { data.RandomSplit(one, []int{2}, nil) }},
		{"data.IDX.Tensor", torch.ErrNil, func() { (*data.IDX)(nil).Tensor() }},
		{"data.IDX.Tensor", torch.ErrDType, func() { new(data.IDX).Tensor() }},
	} {
		before := torch.NumLiveTensors()
		err := torch.Try(c.call)
		var e *torch.Error
		if assert.ErrorAs(t, err, &e, c.op) {
			assert.Equal(t, c.op, e.Op)
			assert.ErrorIs(t, err, c.kind, c.op)
		}
		assert.Equal(t, before, torch.NumLiveTensors(), c.op)
	}
	assert.Equal(t, "DataLoader(nil)", new(data.Loader).String())
	assert.Equal(t, "CacheDataset(nil)", (*data.CacheDataset)(nil).String())
	assert.NoError(t, (*data.CacheDataset)(nil).Close())
	assert.NoError(t, (*data.TensorDataset)(nil).Close())
	assert.Equal(t, math.MaxInt, data.NewConcatDataset(counted(3), counted(math.MaxInt-3)).Len())
}

// An empty example causes an error that names the example, unless a CollateFn makes the
// batch.
func TestExamplesOfNothing(t *testing.T) {
	g := got{6, func(i int) (data.Example, error) {
		if i == 3 {
			return data.Example{}, nil
		}
		return data.Example{Value: i}, nil
	}}
	for _, size := range []data.LoaderOption{data.BatchSize(2), data.BatchSizeNone} {
		g.each(t,
			func(t *testing.T, l *data.Loader, loop func(*data.Loader, func(data.Batch) bool) error, workers int) {
				err := loop(l, all)
				require.ErrorIs(t, err, torch.ErrNil)
				assert.ErrorContains(t, err, "expected an Example with tensors or a Value, got an empty one")
				var e *data.ExampleError
				require.ErrorAs(t, err, &e)
				if l.Dataset() != nil || workers < 2 {
					assert.EqualValues(t, 3, e.Index)
				}
			}, size)
	}
	n := 0
	data.NewLoader(g, data.BatchSize(2), data.CollateFn(func(es []data.Example) data.Example {
		for _, e := range es {
			if e.Value == nil {
				n++
			}
		}
		return data.Example{}
	})).Each(all)
	assert.Equal(t, 1, n)
	require.ErrorIs(t, torch.Try(func() { data.NewLoader(nothing{counted(2)}).Each(all) }), torch.ErrNil)
}

// A Transform that returns an empty Example causes an error in each form of loop.
func TestTransformsToNothing(t *testing.T) {
	g := got{6, func(i int) (data.Example, error) { return data.Example{Value: i}, nil }}
	g.each(t, func(t *testing.T, l *data.Loader, loop func(*data.Loader, func(data.Batch) bool) error, _ int) {
		err := loop(l, all)
		require.ErrorIs(t, err, torch.ErrNil)
		assert.ErrorContains(t, err, "Transform: expected an Example with tensors or a Value, got an empty one")
		var e *data.ExampleError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, 0, e.Batch)
	}, data.BatchSize(2), data.Transform(func(data.Example) data.Example { return data.Example{} }))
}

// nothing is a dataset whose method Batch returns an empty batch.
type nothing struct{ counted }

func (nothing) Batch([]int64) data.Example { return data.Example{} }

// If Stack cannot join the tensors of a column, it frees the columns that it has already
// joined.
func TestStackLeavesNothing(t *testing.T) {
	a, b := torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{3})
	defer a.Close()
	defer b.Close()
	before := torch.NumLiveTensors()
	err := torch.Try(func() {
		data.Stack([]data.Example{{Input: a, Target: a}, {Input: a, Target: b}})
	})
	require.ErrorIs(t, err, torch.ErrShape)
	assert.Equal(t, before, torch.NumLiveTensors())
}

// Closing an Iter that [Loader.Iter] did not make does nothing.
func TestCloseWithoutIter(t *testing.T) {
	assert.NoError(t, (*data.Iter)(nil).Close())
	assert.NoError(t, new(data.Iter).Close())
}

// The error of a loop names the method that the program has called.
func TestFailuresNameTheMethod(t *testing.T) {
	l := data.NewLoader(got{1, func(int) (data.Example, error) { return data.Example{}, errUnread }})
	for op, loop := range map[string]func(){
		"data.Loader.All":        func() { l.All()(all) },
		"data.Loader.AllContext": func() { l.AllContext(t.Context())(all) },
		"data.Loader.Each":       func() { l.Each(all) },
		"data.Loader.Inputs":     func() { l.Inputs()(func(*torch.Tensor) bool { return true }) },
	} {
		var e *torch.Error
		require.ErrorAs(t, torch.Try(loop), &e)
		assert.Equal(t, op, e.Op)
	}
}
