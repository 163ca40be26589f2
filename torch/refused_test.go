package torch_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// If a dtype cannot have gradients, the error names the called function, and its tensors are freed.
func TestRefusedGradientLeavesNothing(t *testing.T) {
	x := torch.FromSlice([]int64{1, 2})
	defer x.Close()
	shape := torch.Shape{2}
	for op, call := range map[string]func(){
		"NewEmpty":      func() { x.NewEmpty(shape, torch.RequiresGrad(true)) },
		"NewZeros":      func() { x.NewZeros(shape, torch.RequiresGrad(true)) },
		"NewOnes":       func() { x.NewOnes(shape, torch.RequiresGrad(true)) },
		"NewFull":       func() { x.NewFull(shape, 1, torch.RequiresGrad(true)) },
		"NewTensor":     func() { torch.NewTensor([]int{1}, torch.RequiresGrad(true)) },
		"FromSliceWith": func() { torch.FromSliceWith([]int64{1}, nil, torch.RequiresGrad(true)) },
		"EmptyLike":     func() { torch.EmptyLike(x, torch.RequiresGrad(true)) },
		"FullLike":      func() { torch.FullLike(x, 1, torch.RequiresGrad(true)) },
		"RandPerm":      func() { torch.RandPerm(3, torch.RequiresGrad(true)) },
		"RandIntTo":     func() { torch.RandIntTo(3, shape, torch.RequiresGrad(true)) },
		"Zeros":         func() { torch.Zeros(shape, torch.Bool, torch.RequiresGrad(true)) },
	} {
		before := torch.NumLiveTensors()
		err := torch.Try(call)
		var e *torch.Error
		require.ErrorAs(t, err, &e, op)
		assert.Equal(t, op, e.Op)
		assert.ErrorIs(t, err, torch.ErrDType, op)
		assert.Equal(t, before, torch.NumLiveTensors(), op)
	}
}

// An error names the function that the program called, even if that is an alias.
func TestErrorsNameTheFunctionThatWasCalled(t *testing.T) {
	x := torch.Ones(torch.Shape{2, 3})
	defer x.Close()
	ts := []*torch.Tensor{x, nil}
	zero := torch.FromSlice([]int64{0})
	defer zero.Close()
	zeroMeta := zero.To(torch.Meta)
	defer zeroMeta.Close()
	huge := torch.Ones(torch.Shape{1, 3}, torch.Meta).Expand(1<<61, 3)
	defer huge.Close()
	closed := torch.Ones(torch.Shape{1})
	closed.Close()
	for op, call := range map[string]func(){
		"Cat":       func() { torch.Cat(ts) },
		"VStack":    func() { torch.VStack(ts...) },
		"MoveDim":   func() { x.MoveDim(9, 0) },
		"MoveDims":  func() { x.MoveDims([]int64{9}, []int64{0}) },
		"Clamp":     func() { x.Clamp("", 1) },
		"Clamp_":    func() { x.Clamp_("", 1) },
		"NewTensor": func() { torch.NewTensor([]int{1}, nil) },
		"AsTensor":  func() { torch.AsTensor((*torch.Tensor)(nil)) },

		"Size":            func() { closed.Size(0) },
		"IsCUDA":          func() { closed.IsCUDA() },
		"IsSparse":        func() { closed.IsSparse() },
		"NBytes":          func() { closed.NBytes() },
		"ElementSize":     func() { closed.ElementSize() },
		"IsComplex":       func() { closed.IsComplex() },
		"IsFloatingPoint": func() { closed.IsFloatingPoint() },
		"TensorDot":       func() { x.TensorDot(closed, 1) },
		"SparseCOOTensor": func() { torch.SparseCOOTensor(x, x, nil, torch.DType(127)) },
		"UnravelIndex":    func() { torch.UnravelIndex(zeroMeta, torch.Shape{2, 2}) },
		"Eigvals":         func() { x.Eigvals() },
		"MedianDim":       func() { huge.MedianDim(0) },
		"ToList":          func() { zeroMeta.ToList() },
		"Device.Check": func() {
			if err := torch.Device(255).Check(); err != nil {
				panic(err)
			}
		},
	} {
		var e *torch.Error
		require.ErrorAs(t, torch.Try(call), &e, op)
		assert.Equal(t, op, e.Op)
	}
	var e *torch.Error
	require.ErrorAs(t, torch.Try(func() { torch.AsTensor([]int{1}, nil) }), &e)
	assert.Equal(t, "AsTensor", e.Op)
	assert.ErrorIs(t, torch.Try(func() { torch.UnravelIndex(zero, torch.Shape{2, 0}) }), torch.ErrShape)
	assert.ErrorIs(t, torch.Try(func() { torch.UnravelIndex(zero, torch.Shape{1 << 32, 1 << 32, 2}) }), torch.ErrShape)
}

// If a wrong argument fails an internal check of libtorch, the error still describes the argument.
func TestMistakesThatLibtorchDoesNotLookFor(t *testing.T) {
	x := torch.Ones(torch.Shape{})
	defer x.Close()
	b := torch.Ones(torch.Shape{3})
	defer b.Close()
	err := torch.Try(func() { x.TensorSolve(b) })
	require.ErrorIs(t, err, torch.ErrShape)
	assert.Contains(t, err.Error(),
		"argument b: expected at most as many dimensions as self, but b has 1 and self has 0")

	none := torch.DType(46) // a dtype that libtorch knows only by name
	for _, pair := range [][2]torch.DType{{none, torch.Float32}, {torch.Float32, none}} {
		err := torch.Try(func() { torch.PromoteTypes(pair[0], pair[1]) })
		require.ErrorIs(t, err, torch.ErrDType)
		assert.Contains(t, err.Error(), fmt.Sprintf("no dtype can hold the values of both %v and %v", pair[0], pair[1]))
	}
}

// Calls that would crash libtorch, or never return, are errors before libtorch is called.
func TestMistakesThatEndLibtorch(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		for _, d := range []torch.DType{torch.Float32, torch.Complex128} {
			a := torch.Full(torch.Shape{3, 3}, x, d)
			assert.ErrorIs(t, torch.Try(func() { a.Eigvals() }), torch.ErrValue)
			assert.ErrorIs(t, torch.Try(func() { a.Eig() }), torch.ErrValue)
			a.Close()
		}
	}
	m := torch.Zeros(torch.Shape{2, 3}, torch.Meta)
	defer m.Close()
	assert.ErrorIs(t, torch.Try(func() { m.AsStrided([]int64{2, 3}, []int64{3, 1}, math.MinInt64+1) }), torch.ErrValue)
	one := torch.Ones(torch.Shape{1, 1})
	defer one.Close()
	assert.ErrorIs(t, torch.Try(func() { one.MatrixPower(math.MinInt64) }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { torch.Arange(0.5, 1.5, 0.5, torch.Int64) }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { torch.Arange(1.5, 0.5, -0.5, torch.Int64) }), torch.ErrValue)
}

// For an expanded tensor, whose elements share memory, PyTorch's medians read past its end. gotorch
// copies the tensor first.
func TestMediansOfExpandedTensors(t *testing.T) {
	torch.Scope(func() {
		x := torch.Full(torch.Shape{2, 1}, 3.0, torch.RequiresGrad(true))
		wide := x.Expand(2, 1000)
		for _, median := range []func(int64, ...torch.KeepDimOption) (*torch.Tensor, *torch.Tensor){
			wide.MedianDim,
			wide.NaNMedianDim,
		} {
			before := torch.NumLiveTensors()
			values, _ := median(1)
			assert.Equal(t, before+2, torch.NumLiveTensors())
			assert.Equal(t, []float32{3, 3}, values.Float32s())
			values.Sum().Backward()
			assert.Equal(t, []float32{1, 1}, x.Grad().Float32s())
			x.SetGrad(nil)
		}
	})
}
