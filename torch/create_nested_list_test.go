package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
)

// Lists of one type are copied in blocks, at any depth.
func TestNewTensorOfBlocks(t *testing.T) {
	type half float32
	for _, c := range []struct {
		data  any
		shape []int64
	}{
		{[]float32{1, 2, 3, 4, 5, 6}, []int64{6}},
		{[6]float32{1, 2, 3, 4, 5, 6}, []int64{6}},
		{[][]float32{{1, 2, 3}, {4, 5, 6}}, []int64{2, 3}},
		{[][3]float32{{1, 2, 3}, {4, 5, 6}}, []int64{2, 3}},
		{[2][]float32{{1, 2, 3}, {4, 5, 6}}, []int64{2, 3}},
		{[2][3]float32{{1, 2, 3}, {4, 5, 6}}, []int64{2, 3}},
		{[][][]float32{{{1}, {2}, {3}}, {{4}, {5}, {6}}}, []int64{2, 3, 1}},
		{[][][1]float32{{{1}, {2}, {3}}, {{4}, {5}, {6}}}, []int64{2, 3, 1}},
		{[][3][1]float32{{{1}, {2}, {3}}, {{4}, {5}, {6}}}, []int64{2, 3, 1}},
		{[][]half{{1, 2, 3}, {4, 5, 6}}, []int64{2, 3}},
		{[]any{[]float32{1, 2, 3}, [3]float32{4, 5, 6}}, []int64{2, 3}},
	} {
		torch.Scope(func() {
			x := torch.NewTensor(c.data)
			assert.Equal(t, c.shape, []int64(x.Shape()), "%T", c.data)
			assert.Equal(t, torch.Float32, x.DType(), "%T", c.data)
			assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, x.Float32s(), "%T", c.data)
		})
	}
	torch.Scope(func() {
		assert.Equal(t, []int64{0, 0}, []int64(torch.NewTensor([][]float32{}).Shape()))
		assert.Equal(t, []int64{2, 0}, []int64(torch.NewTensor([][]float32{{}, nil}).Shape()))
		assert.Equal(t, []int64{0, 3}, []int64(torch.NewTensor([][3]float32{}).Shape()))
		assert.Equal(t, []int64{2, 0}, []int64(torch.NewTensor([2][0]float32{}).Shape()))
	})
}

type listOfItself []listOfItself

// A list that contains itself has no shape.
func TestNewTensorOfEndlessData(t *testing.T) {
	around := func(depth int, v any) any {
		for range depth {
			v = []any{v}
		}
		return v
	}
	cycle := []any{nil}
	cycle[0] = cycle
	typed := make(listOfItself, 1)
	typed[0] = typed
	var much any = []any{1.0, 1.0}
	for range 60 {
		much = []any{much, much}
	}
	torch.Scope(func() {
		assert.Len(t, torch.NewTensor(around(64, 1.0)).Shape(), 64)
		for name, c := range map[string]struct {
			data any
			kind error
			text string
		}{
			"cycle":      {cycle, torch.ErrShape, "the list has more than 128 dimensions: does a list contain itself?"},
			"typed":      {typed, torch.ErrShape, "more than 128 dimensions"},
			"empty type": {listOfItself{}, torch.ErrShape, "more than 128 dimensions"},
			"deep":       {around(1_000_000, 1.0), torch.ErrShape, "more than 128 dimensions"},
			"uneven":     {[]any{1.0, around(1_000_000, 1.0)}, torch.ErrShape, "data[1] is a list, but data[0] is not"},
			"shared":     {much, torch.ErrOutOfMemory, "elements"},
		} {
			for _, make := range []func(){
				func() { torch.NewTensor(c.data) },
				func() { torch.AsTensor(c.data) },
				func() { torch.Zeros(torch.Shape{1}).NewTensor(c.data) },
			} {
				err := torch.Try(make)
				assert.ErrorIs(t, err, c.kind, name)
				assert.ErrorContains(t, err, c.text, name)
			}
		}
	})
}

// Copying a list of one element type makes less than one allocation per row.
func TestNewTensorAllocates(t *testing.T) {
	rows := make([][]float32, 64)
	for i := range rows {
		rows[i] = make([]float32, 100)
	}
	allocations := testing.AllocsPerRun(10, func() { _ = torch.NewTensor(rows).Close() })
	assert.Less(t, allocations, 64.0, "for %d rows of %d elements", len(rows), len(rows[0]))
}
