package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
)

func TestNewLikeATensor(t *testing.T) {
	leakFree(t, func() {
		x := torch.Ones(torch.Shape{2}, torch.Float64)
		assert.Equal(t, []float64{0, 0, 0}, x.NewZeros(torch.Shape{3}).Float64s())
		assert.Equal(t, torch.Float64, x.NewZeros(nil).DType())
		assert.Equal(t, []int64{1}, x.NewOnes(torch.Shape{1}, torch.Int64).Int64s())
		assert.Equal(t, []float64{2.5, 2.5}, x.NewFull(torch.Shape{2}, 2.5).Float64s())
		assert.Equal(t, torch.Shape{2, 0}, x.NewEmpty(torch.Shape{2, 0}).Shape())
		assert.True(t, x.NewOnes(torch.Shape{1}, torch.RequiresGrad(true)).RequiresGrad())
		n := x.NewTensor([]int{1, 2})
		assert.Equal(t, torch.Float64, n.DType())
		assert.Equal(t, torch.Int32, x.NewTensor([]int{1, 2}, torch.Int32).DType(), "the option counts")
		assert.ErrorIs(t, torch.Try(func() { x.NewFull(torch.Shape{2}, "2") }), torch.ErrType)
		assert.ErrorIs(t, torch.Try(func() { (*torch.Tensor)(nil).NewZeros(nil) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { (*torch.Tensor)(nil).NewTensor(1) }), torch.ErrNil)
	})
}

func TestTensorsOfNestedData(t *testing.T) {
	leakFree(t, func() {
		for _, c := range []struct {
			data  any
			dtype torch.DType
			shape torch.Shape
			list  any
		}{
			{3, torch.Int64, torch.Shape{}, int64(3)},
			{2.5, torch.Float32, torch.Shape{}, 2.5},
			{true, torch.Bool, torch.Shape{}, true},
			{[]float64{1, 2}, torch.Float64, torch.Shape{2}, []any{1., 2.}},
			{[][]float32{{1, 2}, {3, 4}}, torch.Float32, torch.Shape{2, 2}, []any{[]any{1., 2.}, []any{3., 4.}}},
			{[2][1]int32{{1}, {2}}, torch.Int32, torch.Shape{2, 1}, []any{[]any{int64(1)}, []any{int64(2)}}},
			{[]any{1, 2.5, true}, torch.Float32, torch.Shape{3}, []any{1., 2.5, 1.}},
			{[]any{1, true}, torch.Int64, torch.Shape{2}, []any{int64(1), int64(1)}},
			{[]any{false, true}, torch.Bool, torch.Shape{2}, []any{false, true}},
			{[]any{1, 2i}, torch.Complex64, torch.Shape{2}, []any{1 + 0i, 2i}},
			{
				[]any{[]int{1, 2}, []any{3, 4}},
				torch.Int64,
				torch.Shape{2, 2},
				[]any{[]any{int64(1), int64(2)}, []any{int64(3), int64(4)}},
			},
			{[][]float32{}, torch.Float32, torch.Shape{0, 0}, []any{}},
			{[][]float32{{}, {}}, torch.Float32, torch.Shape{2, 0}, []any{[]any{}, []any{}}},
			{[]any{}, torch.Float32, torch.Shape{0}, []any{}},
		} {
			x := torch.NewTensor(c.data)
			assert.Equal(t, c.dtype, x.DType(), "%v", c.data)
			assert.Equal(t, c.shape.String(), x.Shape().String(), "%v", c.data)
			assert.Equal(t, c.list, x.ToList(), "%v", c.data)
		}
		x := torch.NewTensor([]any{1, 2}, torch.Float64, torch.RequiresGrad(true))
		assert.Equal(t, torch.Float64, x.DType())
		assert.True(t, x.RequiresGrad())
		for data, kind := range map[any]error{
			"text": torch.ErrType, nil: torch.ErrType, &[]any{}: torch.ErrType, struct{}{}: torch.ErrType,
		} {
			assert.ErrorIs(t, torch.Try(func() { torch.NewTensor(data) }), kind, "%v", data)
		}
		for _, data := range []any{[][]int{{1}, {2, 3}}, []any{1, []int{2}}, []any{[]int{2}, 1}, []any{[]int{2}, nil}} {
			assert.ErrorIs(t, torch.Try(func() { torch.NewTensor(data) }), torch.ErrShape, "%v", data)
		}
		assert.ErrorIs(t, torch.Try(func() { torch.NewTensor([]any{"a"}) }), torch.ErrType)
		for _, c := range []struct {
			data any
			text string
		}{
			{"hi", "torch: NewTensor: argument data: expected a number, a bool, or a slice or array of them of any " +
				"depth, got string"},
			{nil, "torch: NewTensor: argument data: expected a number, a bool, or a slice or array of them of any " +
				"depth, got <nil>"},
			{[][]int{{1}, {2, 3}}, "torch: NewTensor: argument data: data[1] has 2 elements, but data[0] has 1"},
			{
				[][][]int{{{1}, {2}}, {{3}, {}}},
				"torch: NewTensor: argument data: data[1][1] has 0 elements, but data[0][0] has 1",
			},
			{[]any{1, []int{2}}, "torch: NewTensor: argument data: data[1] is a list, but data[0] is not"},
			{[]any{[]int{1}, 2}, "torch: NewTensor: argument data: data[1] is not a list, but data[0] is one"},
			{[]any{1, nil}, "torch: NewTensor: argument data: data[1] is nil"},
		} {
			assert.EqualError(t, torch.Try(func() { torch.NewTensor(c.data) }), c.text)
		}
	})
}

func TestAsTensor(t *testing.T) {
	leakFree(t, func() {
		x := torch.Ones(torch.Shape{2})
		assert.True(t, torch.AsTensor(x).SharesStorage(x))
		assert.Equal(t, torch.Int64, torch.AsTensor(x, torch.Int64).DType())
		assert.Equal(t, []float32{1, 2}, torch.AsTensor([]int{1, 2}, torch.Float32).Float32s())
	})
}

func TestIntegersWithOneBoundAndLikeATensor(t *testing.T) {
	leakFree(t, func() {
		torch.ManualSeed(5)
		want := torch.RandInt(0, 10, torch.Shape{8}).Int64s()
		torch.ManualSeed(5)
		assert.Equal(t, want, torch.RandIntTo(10, torch.Shape{8}).Int64s())
		x := torch.RandIntLike(torch.Zeros(torch.Shape{50}), 3, 5)
		assert.Equal(t, torch.Float32, x.DType())
		for _, v := range x.Float32s() {
			assert.Contains(t, []float32{3, 4}, v)
		}
		assert.Error(t, torch.Try(func() { torch.RandIntTo(0, torch.Shape{1}) }))
		assert.Error(t, torch.Try(func() { torch.RandIntLike(x, 5, 5) }))
	})
}

func TestMistakesWithWindows(t *testing.T) {
	leakFree(t, func() {
		assert.Equal(t, torch.Float64, torch.HannWindow(4, torch.Float64).DType())
		assert.ErrorIs(t, torch.Try(func() { torch.HannWindow(4, torch.Int64) }), torch.ErrDType)
		assert.ErrorIs(t, torch.Try(func() { torch.HannWindow(4, nil) }), torch.ErrNil)
		assert.Error(t, torch.Try(func() { torch.HannWindow(-1) }))
	})
}
