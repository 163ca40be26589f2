package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
)

// Lists of one type are copied block by block, whatever they are made of.
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

// A list of one type costs the memory of its elements, not a value for each.
func TestNewTensorAllocates(t *testing.T) {
	rows := make([][]float32, 64)
	for i := range rows {
		rows[i] = make([]float32, 100)
	}
	allocations := testing.AllocsPerRun(10, func() { _ = torch.NewTensor(rows).Close() })
	assert.Less(t, allocations, 64.0, "for %d rows of %d elements", len(rows), len(rows[0]))
}
