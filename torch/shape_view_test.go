package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// Strides of a transpose are as in the usual tutorials.
func TestStridesOfATranspose(t *testing.T) {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
		assert.Equal(t, []int64{3, 1}, x.Stride())
		assert.True(t, x.IsContiguous())

		y := x.T()
		assert.Equal(t, torch.Shape{3, 2}, y.Shape())
		assert.Equal(t, []int64{1, 3}, y.Stride())
		assert.Equal(t, x.DataPtr(), y.DataPtr())
		assert.False(t, y.IsContiguous())

		err := torch.Try(func() { y.View(6) })
		require.ErrorIs(t, err, torch.ErrShape)
		assert.EqualError(t, err, "torch: View: view size is not compatible with input tensor's size and stride "+
			"(at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead. "+
			"[self: float32 (3, 2) cpu]")

		z := y.Reshape(6)
		assert.NotEqual(t, x.DataPtr(), z.DataPtr())
		assert.False(t, z.SharesStorage(x))
		assert.Equal(t, []float32{1, 4, 2, 5, 3, 6}, z.Float32s())
	})
}

func TestViewWritesThrough(t *testing.T) {
	torch.Scope(func() {
		x := torch.Zeros(torch.Shape{2, 3})
		v := x.Select(0, 1).Narrow(0, 1, 2)
		assert.EqualValues(t, 4, v.StorageOffset())
		v.CopyFrom([]float32{7, 8})
		assert.Equal(t, []float32{0, 0, 0, 0, 7, 8}, x.Float32s())
	})
}

func TestViewOutlivesBase(t *testing.T) {
	collect(t)
	before := torch.NumLiveTensors()
	x := torch.FromSlice([]int64{1, 2, 3, 4}, 2, 2)
	parts := x.Unbind()
	require.NoError(t, x.Close())
	assert.Equal(t, []int64{3, 4}, parts[1].Int64s())
	require.NoError(t, parts[0].Close())
	assert.Equal(t, []int64{3, 4}, parts[1].Int64s())
	require.NoError(t, parts[1].Close())
	assert.Equal(t, before, torch.NumLiveTensors())
}

func TestWritingThroughIndicesReturnsReceiver(t *testing.T) {
	torch.Scope(func() {
		x := torch.Zeros(torch.Shape{3, 2})
		index := torch.FromSlice([]int64{2, 0})
		got := x.IndexAdd_(0, index, torch.Ones(torch.Shape{2, 2}))
		assert.Same(t, x, got)
		assert.Equal(t, []float32{1, 1, 0, 0, 1, 1}, x.Float32s())
		assert.Same(t, x, x.IndexFill_(0, index, 5))
		assert.Equal(t, []float32{5, 5, 0, 0, 5, 5}, x.Float32s())
	})
}

func TestCatOutReturnsDestination(t *testing.T) {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 2})
		dst := torch.Empty(torch.Shape{2, 2})
		at := dst.DataPtr()
		assert.Same(t, dst, aten.CatOut(dst, []*torch.Tensor{x, x}, 0))
		assert.Equal(t, at, dst.DataPtr(), "a destination of the right shape is used as it is")
		assert.Equal(t, []float32{1, 1, 1, 1}, dst.Float32s())
	})
}
