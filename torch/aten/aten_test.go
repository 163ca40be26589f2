package aten_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

func TestDefaultsAndNone(t *testing.T) {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
		assert.Equal(t, []float32{2, 4, 6, 8}, aten.AddTensor(x, x, nil).Float32s(), "alpha is 1")
		assert.Equal(t, []float32{3, 6, 9, 12}, aten.AddTensor(x, x, 2).Float32s())
		assert.Equal(t, torch.Int64, aten.RandInt(9, []int64{2}, 0, 0, nil, nil).DType(), "the schema's default dtype")
		assert.Equal(t, torch.Float32, aten.Zeros([]int64{2}, 0, 0, nil, nil).DType())
		assert.Equal(t, torch.Meta, aten.Zeros([]int64{2}, 0, 0, new(torch.Meta), nil).Device())
		assert.Equal(t, []float32{1, 2, 2, 2}, aten.Clamp(x, nil, 2).Float32s())
		assert.Equal(t, []float32{10}, aten.SumDimIntList(x, nil, false, 0).Float32s())
		w, b := torch.FromSlice([]float32{1, 1}, 1, 2), torch.FromSlice([]float32{100})
		assert.Equal(t, []float32{3, 7}, aten.Linear(x, w, nil).Float32s())
		assert.Equal(t, []float32{103, 107}, aten.Linear(x, w, b).Float32s())
	})
}

func TestWrittenArgumentsComeBack(t *testing.T) {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 5, 3, 4}, 2, 2)
		assert.Same(t, x, aten.Add_Scalar(x, 1, nil))
		assert.Equal(t, []float32{2, 6, 4, 5}, x.Float32s())
		top, at := torch.FromSlice([]float32{}, 0), torch.FromSlice([]int64{}, 0)
		r0, r1 := aten.MaxDimMax(top, at, x, 1, false)
		assert.Same(t, top, r0)
		assert.Same(t, at, r1)
		assert.Equal(t, []float32{6, 5}, top.Float32s())
		assert.Equal(t, []int64{1, 1}, at.Int64s())
	})
}

// The argument words of a call without long lists stay on the stack.
func TestWordsDoNotEscape(t *testing.T) {
	torch.Scope(func() {
		out, x := torch.Zeros(torch.Shape{2, 2}), torch.Ones(torch.Shape{2, 2})
		index := torch.FromSlice([]int64{0, 1})
		for name, call := range map[string]func(){
			"tensors":   func() { aten.UnderAddReLUOut(out, x, x, nil) },
			"two lists": func() { aten.AsStridedCopyOut(out, x, []int64{2, 2}, []int64{2, 1}, nil) },
			"a string":  func() { aten.IndexReduceOut(out, x, 0, index, x, "prod", true) },
			"a bool":    func() { aten.IsSameSize(out, x) },
		} {
			assert.Zero(t, optiontest.LeastAllocations(call), name)
		}
	})
}

func TestErrors(t *testing.T) {
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2})
		closed := torch.FromSlice([]float32{1, 2})
		require.NoError(t, closed.Close())
		before := torch.NumLiveTensors()

		for message, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"torch: AddTensor: argument other is a nil *Tensor": {torch.ErrNil, func() {
				aten.AddTensor(x, nil, 1)
			}},
			"torch: AddTensor: argument self: tensor used after Close": {torch.ErrClosed, func() {
				aten.AddTensor(closed, x, 1)
			}},
			"torch: Linear: argument bias: tensor used after Close": {torch.ErrClosed, func() {
				aten.Linear(x, x, closed)
			}},
			"torch: Cat: argument 1 is a nil *Tensor": {torch.ErrNil, func() {
				aten.Cat([]*torch.Tensor{x, nil}, 0)
			}},
			"torch: AddScalar: argument other: expected a number, bool or complex, got nil": {torch.ErrType, func() {
				aten.AddScalar(x, nil, 1)
			}},
			"torch: AddScalar: argument alpha: expected a number, bool or complex, got string": {torch.ErrType, func() {
				aten.AddScalar(x, 1, "2")
			}},
		} {
			err := torch.Try(c.fn)
			assert.EqualError(t, err, message)
			assert.ErrorIs(t, err, c.kind)
		}

		err := torch.Try(func() { aten.AddTensor(x, torch.FromSlice([]float32{1, 2, 3}), nil) })
		var e *torch.Error
		require.True(t, errors.As(err, &e))
		assert.Equal(t, torch.ErrShape, e.Kind)
		assert.Equal(t, []string{"self: float32 (2,) cpu", "other: float32 (3,) cpu"}, e.Args)
		assert.Error(t, torch.Try(func() { aten.MaxDim(x, 5, false) }))
		assert.Equal(t, before+1, torch.NumLiveTensors(), "a failed call leaves nothing behind")
	})
}

func TestGradientsFlow(t *testing.T) {
	torch.Scope(func() {
		x := torch.FromSliceWith([]float32{1, 2, 3}, torch.Shape{3}, torch.RequiresGrad(true))
		aten.Sum(aten.MulTensor(x, x), 0).Backward()
		assert.Equal(t, []float32{2, 4, 6}, x.Grad().Float32s())
	})
}

// One operator runs Go code: _backward calls the hooks of the backward pass.
func TestBackwardOperatorRunsHooks(t *testing.T) {
	torch.Scope(func() {
		x := torch.FromSliceWith([]float32{1, 2}, torch.Shape{2}, torch.RequiresGrad(true))
		calls := 0
		x.RegisterHook(func(grad *torch.Tensor) *torch.Tensor {
			calls++
			return aten.MulScalar(grad, 10)
		})
		aten.UnderBackward(aten.Sum(aten.MulTensor(x, x), 0), []*torch.Tensor{x}, nil, nil, false)
		assert.Equal(t, 1, calls)
		assert.Equal(t, []float32{20, 40}, x.Grad().Float32s())
	})
}
