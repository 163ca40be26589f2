package data_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

func TestConcatDataset(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	a, b := counting(3), counting(2)
	defer func() { _, _ = a.Close(), b.Close() }()
	all := data.NewConcatDataset(a, data.NewSubset(a, nil), b)
	assert.Equal(t, 5, all.Len())
	assert.Equal(t, "ConcatDataset(5)", all.String())
	assert.Len(t, all.Datasets(), 3)
	var got [][]int64
	for batch := range data.NewLoader(all, data.BatchSize(2)).All() {
		got = append(got, batch.Input.Int64s())
	}
	assert.Equal(t, [][]int64{{0, 1}, {2, 0}, {1}}, got)
}

func TestStackDataset(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	a := counting(3)
	two := data.NewTensorDataset(torch.Disown(torch.Arange(10, 13)), torch.Disown(torch.Arange(20, 23)))
	defer func() { _, _ = a.Close(), two.Close() }()
	both := data.NewStackDataset(a, two)
	assert.Equal(t, 3, both.Len())
	assert.Equal(t, "StackDataset(3)", both.String())
	assert.Len(t, both.Datasets(), 2)
	for batch := range data.NewLoader(both, data.BatchSize(3)).All() {
		assert.Equal(t, []int64{0, 1, 2}, batch.Input.Int64s())
		assert.Equal(t, []int64{10, 11, 12}, batch.Target.Int64s())
		assert.Equal(t, []int64{20, 21, 22}, batch.Extra[0].Int64s())
	}
}

func TestStackDatasetKeepsValues(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	a := counting(2)
	defer func() { _ = a.Close() }()
	values := func(word string, tensors bool) data.Dataset {
		return data.NewFuncDataset(2, func(i int) (data.Example, error) {
			e := data.Example{Value: word + strconv.Itoa(i)}
			if tensors {
				e.Input = torch.FromSlice([]int64{int64(i)}).Squeeze()
			}
			return e, nil
		})
	}
	for _, c := range []struct {
		parts []data.Dataset
		want  any
		width int
	}{
		{[]data.Dataset{a, values("w", true)}, []string{"w0", "w1"}, 2},
		{[]data.Dataset{values("w", false), a}, []string{"w0", "w1"}, 1},
		{
			[]data.Dataset{values("v", true), a, values("w", false)},
			[]any{[]string{"v0", "v1"}, []string{"w0", "w1"}},
			2,
		},
	} {
		for batch := range data.NewLoader(data.NewStackDataset(c.parts...), data.BatchSize(2)).All() {
			assert.Equal(t, c.want, batch.Value)
			assert.Equal(t, []int64{0, 1}, batch.Input.Int64s())
			assert.Equal(t, c.width == 2, batch.Target != nil)
		}
	}
}

func TestCombinedMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	a, b := counting(3), counting(2)
	defer func() { _, _ = a.Close(), b.Close() }()
	for _, c := range []struct {
		kind error
		text string
		fn   func()
	}{
		{torch.ErrValue, "NewConcatDataset: argument parts: an empty list", func() { data.NewConcatDataset() }},
		{torch.ErrNil, "NewConcatDataset", func() { data.NewConcatDataset(a, nil) }},
		{torch.ErrIndex, "5 is out of range for 5 examples", func() { data.NewConcatDataset(a, b).Get(5) }},
		{torch.ErrIndex, "-1 is out of range", func() { data.NewConcatDataset(a).Get(-1) }},
		{torch.ErrNil, "a nil *data.ConcatDataset", func() { (*data.ConcatDataset)(nil).Get(0) }},
		{torch.ErrValue, "an empty list", func() { data.NewStackDataset() }},
		{torch.ErrValue, "part 1 has 2 examples, but part 0 has 3", func() { data.NewStackDataset(a, b) }},
		{torch.ErrIndex, "3 is out of range", func() { data.NewStackDataset(a).Get(3) }},
		{torch.ErrNil, "data.IterableFunc.Iterate", func() {
			_ = data.IterableFunc(nil).Iterate(data.WorkerInfo{}, nil)
		}},
		{torch.ErrNil, "a nil *data.StackDataset", func() { (*data.StackDataset)(nil).Get(0) }},
	} {
		err := torch.Try(c.fn)
		assert.ErrorIs(t, err, c.kind, c.text)
		assert.ErrorContains(t, err, c.text)
	}
}
