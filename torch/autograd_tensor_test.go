package torch_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

func TestGradSecondOrder(t *testing.T) {
	leakFree(t, func() {
		x := torch.FromSliceWith([]float64{1, 2, 3}, nil, torch.RequiresGrad(true))
		y := x.Mul(x).Mul(x).Sum()
		g := torch.Grad([]*torch.Tensor{y}, []*torch.Tensor{x}, torch.CreateGraph(true))
		require.Equal(t, []float64{3, 12, 27}, g[0].Float64s())
		require.True(t, g[0].RequiresGrad())
		gg := torch.Grad([]*torch.Tensor{g[0].Sum()}, []*torch.Tensor{x})
		require.Equal(t, []float64{6, 12, 18}, gg[0].Float64s())
		require.False(t, gg[0].RequiresGrad())
		require.Nil(t, x.Grad(), "Grad accumulates nothing")
	})
}

func TestGradArguments(t *testing.T) {
	leakFree(t, func() {
		x, unused := leaf(2), leaf(2)
		y := x.MulScalar(3)
		list := func(ts ...*torch.Tensor) []*torch.Tensor { return ts }
		err := torch.Try(func() { torch.Grad(list(y.Sum()), list(x, unused), torch.RetainGraph(true)) })
		require.ErrorIs(t, err, torch.ErrAutograd)
		require.ErrorContains(t, err,
			"argument inputs: the outputs do not depend on element 1; with AllowUnused(true) its gradient is nil")
		err = torch.Try(func() { torch.Grad(list(torch.Ones(torch.Shape{})), list(x)) })
		require.ErrorIs(t, err, torch.ErrAutograd)
		require.ErrorContains(t, err, "element 0 of tensors does not require grad")
		g := torch.Grad(list(y), list(x, unused), torch.AllowUnused(true), torch.RetainGraph(true),
			torch.GradOutputs(list(torch.FromSlice([]float32{1, 10}))))
		require.Equal(t, []float32{3, 30}, g[0].Float32s())
		require.Nil(t, g[1])

		require.ErrorIs(t, torch.Try(func() { torch.Grad(list(y), list(x)) }), torch.ErrAutograd, "no scalar")
		require.ErrorIs(t, torch.Try(func() { torch.Grad(nil, list(x)) }), torch.ErrValue)
		require.ErrorIs(t, torch.Try(func() { torch.Grad(list(y), nil) }), torch.ErrValue)
		require.ErrorIs(t, torch.Try(func() { torch.Grad(list(y), list(nil)) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() {
			torch.Grad(list(y), list(x), torch.GradOutputs(list(y, y)))
		}), torch.ErrValue)
		require.ErrorIs(t, torch.Try(func() {
			torch.Grad(list(y), list(x), torch.GradOutputs(list(torch.Ones(torch.Shape{5}))))
		}), torch.ErrShape)
	})
}

func TestBackwardErrors(t *testing.T) {
	leakFree(t, func() {
		x := leaf(3)
		for text, fn := range map[string]func(){
			"grad can be implicitly created only for scalar outputs": func() { x.MulScalar(2).Backward() },
			"does not require grad":                                  func() { one().Backward() },
			"backward through the graph a second time": func() {
				y := x.Mul(x).Sum()
				y.Backward()
				y.Backward()
			},
			"modified by an inplace operation": func() {
				y := x.Exp()
				z := y.Sum()
				torch.NoGrad(func() { y.SetIndex(0, 0) })
				z.Backward() // exp saved its result, so the engine throws a C++ exception
			},
		} {
			err := torch.Try(fn)
			require.ErrorIs(t, err, torch.ErrAutograd)
			require.ErrorContains(t, err, text)
		}
		var none *torch.Tensor
		require.ErrorIs(t, torch.Try(func() { none.Backward() }), torch.ErrNil)
		require.True(t, torch.IsGradEnabled())
	})
}

func TestBackwardOptions(t *testing.T) {
	leakFree(t, func() {
		x, w := leaf(2), leaf(2)
		y := x.Mul(w)
		y.Backward(torch.Gradient(torch.FromSlice([]float32{1, 5})), torch.RetainGraph(true), torch.Inputs{w})
		require.Nil(t, x.Grad())
		require.Equal(t, []float32{0, 5}, w.Grad().Float32s())
		torch.Backward([]*torch.Tensor{y.Sum(), y.Index(1)})
		require.Equal(t, []float32{0, 2}, x.Grad().Float32s())
		require.ErrorIs(t, torch.Try(func() {
			torch.Backward([]*torch.Tensor{y}, torch.GradTensors{nil, nil})
		}), torch.ErrValue)
		torch.Backward(nil)
	})
}

func TestGradAndRetainGrad(t *testing.T) {
	leakFree(t, func() {
		x := leaf(2)
		y := x.MulScalar(2)
		require.Nil(t, x.Grad())
		require.True(t, x.IsLeaf())
		require.False(t, y.IsLeaf())
		require.False(t, y.RetainsGrad())
		y.RetainGrad()
		require.True(t, y.RetainsGrad())
		y.Mul(y).Sum().Backward()
		require.Equal(t, []float32{0, 4}, y.Grad().Float32s())
		require.Equal(t, []float32{0, 8}, x.Grad().Float32s())

		require.NoError(t, x.Grad().Close()) // closes only this handle
		require.Equal(t, []float32{0, 8}, x.Grad().Float32s())
		x.SetGrad(torch.FromSlice([]float32{1, 1}))
		x.Sum().Backward()
		require.Equal(t, []float32{2, 2}, x.Grad().Float32s(), "gradients add up")
		x.SetGrad(nil)
		require.Nil(t, x.Grad())
		require.ErrorIs(t, torch.Try(func() { x.SetGrad(torch.Ones(torch.Shape{3})) }), torch.ErrShape)
		require.ErrorIs(t, torch.Try(func() { x.SetGrad(torch.Ones(torch.Shape{2}, torch.Float64)) }), torch.ErrDType)

		require.ErrorIs(t, torch.Try(func() { y.SetRequiresGrad(false) }), torch.ErrAutograd)
		require.Error(t, torch.Try(func() { torch.Arange(0, 3, 1).SetRequiresGrad(true) }))
	})
}

// Modes belong to the goroutine, even if it moves to another thread.
func TestModesPerGoroutine(t *testing.T) {
	leakFree(t, func() {
		x := leaf(2)
		var wg sync.WaitGroup
		for i := range 24 {
			wg.Go(func() {
				check := func(want bool) {
					for range 50 {
						torch.Scope(func() {
							if y := x.MulScalar(2); y.RequiresGrad() != want || torch.IsGradEnabled() != want {
								t.Errorf("goroutine %d: gradients recorded: %v, want %v", i, y.RequiresGrad(), want)
							}
						})
					}
				}
				switch i % 3 {
				case 0:
					check(true)
				case 1:
					torch.NoGrad(func() {
						check(false)
						torch.EnableGrad(func() { check(true) })
						torch.SetGradEnabled(true, func() { check(true) })
						check(false)
					})
					check(true)
				default:
					torch.InferenceMode(func() { check(false) })
					torch.SetGradEnabled(false, func() { check(false) })
					check(true)
				}
			})
		}
		torch.NoGrad(func() {
			wg.Go(func() {
				if !torch.IsGradEnabled() {
					t.Error("a new goroutine inherited NoGrad")
				}
			})
			wg.Wait()
		})
	})
}

func TestModesEndOnPanic(t *testing.T) {
	for name, mode := range map[string]func(func()){"NoGrad": torch.NoGrad, "InferenceMode": torch.InferenceMode} {
		t.Run(name, func(t *testing.T) {
			require.PanicsWithValue(t, "out", func() {
				mode(func() {
					require.False(t, torch.IsGradEnabled())
					panic("out")
				})
			})
			require.True(t, torch.IsGradEnabled())
			require.False(t, torch.IsInferenceMode())
		})
	}
}

func TestInferenceMode(t *testing.T) {
	leakFree(t, func() {
		x := leaf(2)
		var y *torch.Tensor
		torch.InferenceMode(func() {
			require.True(t, torch.IsInferenceMode())
			y = x.MulScalar(2)
		})
		require.False(t, y.RequiresGrad())
		err := torch.Try(func() { x.Mul(y) })
		require.ErrorIs(t, err, torch.ErrAutograd)
		require.ErrorContains(t, err, "Inference tensors cannot be saved for backward")
		require.Error(t, torch.Try(func() { y.TensorVersion() }))
	})
}

func TestDetectAnomaly(t *testing.T) {
	restore := torch.SetDetectAnomaly(true)
	defer restore()
	leakFree(t, func() {
		x := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
		y := x.PowScalar(0.5).MulScalar(0).Sum()
		err := torch.Try(func() { y.Backward() })
		require.ErrorContains(t, err, "Function 'PowBackward0' returned nan values in its 0th output.")
		restore()
		y = x.PowScalar(0.5).MulScalar(0).Sum()
		require.NoError(t, torch.Try(func() { y.Backward() }))
		require.True(t, math.IsNaN(x.Grad().Item()))
	})
}

// Follows the documentation of Python's grad_dtype.
func TestGradDType(t *testing.T) {
	leakFree(t, func() {
		x := leaf(2)
		require.Equal(t, torch.Float32, x.GradDType())
		require.ErrorIs(t, torch.Try(func() { x.SetGrad(torch.Ones(torch.Shape{2}, torch.Float64)) }), torch.ErrDType)

		x.SetGradDType(torch.Float64)
		require.Equal(t, torch.Float64, x.GradDType())
		x.MulScalar(2).Sum().Backward()
		require.Equal(t, torch.Float64, x.Grad().DType())
		require.Equal(t, []float64{2, 2}, x.Grad().Float64s())
		require.ErrorIs(t, torch.Try(func() { x.SetGradDType(torch.Float32) }), torch.ErrDType, "there is a gradient")

		var every torch.DType
		x.SetGradDType(every)
		require.Equal(t, every, x.GradDType())
		x.SetGrad(torch.Ones(torch.Shape{2}, torch.Float16))
		require.Equal(t, torch.Float16, x.Grad().DType())

		require.ErrorIs(t, torch.Try(func() { x.Exp().GradDType() }), torch.ErrAutograd)
		require.ErrorIs(t, torch.Try(func() { x.Exp().SetGradDType(torch.Float32) }), torch.ErrAutograd)
		var none *torch.Tensor
		require.ErrorIs(t, torch.Try(func() { none.GradDType() }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { none.SetGradDType(torch.Float32) }), torch.ErrNil)
	})
}
