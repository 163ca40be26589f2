package torch_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func crossingRelu(x *torch.Tensor) *torch.Tensor {
	return torch.Crossing("Relu(self)", func(cx abi.Ctx) abi.Ret { return aten.Relu(cx, x.Handle()) }, x)
}

func TestCrossing(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.FromSliceWith([]float32{-1, 2}, nil, torch.RequiresGrad(true))
		y := crossingRelu(x)
		assert.Equal(t, []float32{0, 2}, y.Float32s())
		y.Sum().Backward()
		assert.Equal(t, []float32{0, 1}, x.Grad().Float32s())
		torch.NoGrad(func() { assert.False(t, crossingRelu(x).RequiresGrad()) })

		z := torch.Ones(torch.Shape{2})
		nothing := torch.Crossing("Zero_(self)", func(cx abi.Ctx) abi.Ret {
			return abi.Ret{Err: aten.Zero_(cx, z.Handle())}
		}, z)
		assert.Nil(t, nothing)
		assert.Equal(t, []float32{0, 0}, z.Float32s())
	})
}

// A hook that runs because of a call in a Crossing may use operators.
func TestCallbackWithinACrossing(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.MulScalar(3) })
		sum, one := x.Sum(), torch.Ones(torch.Shape{})
		torch.Crossing("Backward(self)", func(cx abi.Ctx) abi.Ret {
			return abi.Ret{Err: cgotorch.Backward(cx, []abi.Tensor{sum.Handle()}, []abi.Tensor{one.Handle()}, nil,
				false, false)}
		}, sum, one)
		assert.Equal(t, []float32{3, 3}, x.Grad().Float32s())
	})
}

// A Crossing whose function fails gives back its slot in native code, so that later operators of
// many goroutines get one.
func TestCrossingGivesItsPlaceBack(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	closed := torch.Ones(torch.Shape{1})
	_ = closed.Close()
	mine := errors.New("mine")
	for range 100 * runtime.GOMAXPROCS(0) {
		err := torch.Try(func() { crossingRelu(closed) })
		require.ErrorIs(t, err, torch.ErrClosed)
		require.PanicsWithValue(t, mine, func() {
			torch.Crossing("Mine()", func(abi.Ctx) abi.Ret { panic(mine) })
		})
		done := make(chan struct{})
		go func() {
			defer close(done)
			torch.Crossing("Mine()", func(abi.Ctx) abi.Ret { runtime.Goexit(); return abi.Ret{} })
		}()
		<-done
		require.ErrorIs(t, torch.Try(func() {
			torch.Crossing("", func(abi.Ctx) abi.Ret { panic(mine) })
		}), torch.ErrValue)
	}
	for range 4 * runtime.GOMAXPROCS(0) { // panics instead of waiting for the slot that it holds
		err := torch.Try(func() {
			torch.Crossing("Mine(self)", func(abi.Ctx) abi.Ret { torch.Ones(torch.Shape{1}); return abi.Ret{} })
		})
		require.ErrorIs(t, err, torch.ErrRuntime)
		require.ErrorContains(t, err, "Ones: called inside the Crossing of Mine")
		callbacks := torch.LiveCallbacks()
		err = torch.Try(func() {
			torch.Crossing("Mine()", func(abi.Ctx) abi.Ret { torch.FromSliceShared([]float32{1, 2}); return abi.Ret{} })
		})
		require.ErrorIs(t, err, torch.ErrRuntime)
		require.Equal(t, callbacks, torch.LiveCallbacks(), "the slice is no longer pinned")
	}
	err := torch.Try(func() {
		x := torch.Ones(torch.Shape{2})
		defer x.Close()
		torch.Crossing("MM(self, mat2)", func(cx abi.Ctx) abi.Ret { return aten.Mm(cx, x.Handle(), x.Handle()) }, x, x)
	})
	var e *torch.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "MM", e.Op)
	assert.Len(t, e.Args, 2)

	var wg sync.WaitGroup
	for range 4 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for range 10 {
				x := torch.Ones(torch.Shape{8, 8})
				y := x.MatMul(x)
				_, _ = x.Close(), y.Close()
			}
		})
	}
	wg.Wait()
}
