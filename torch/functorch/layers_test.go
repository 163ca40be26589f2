package functorch_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torchtest"
)

// A tensor of a layer may escape from the function. If it was not disowned, it is closed.
// If it was, later operators reject it, or it is a plain value.
func TestEscape(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3})
		var kept, out *torch.Tensor
		functorch.VMap(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
			kept, out = x.Exp(), torch.Disown(x.Exp())
			return x
		}))(x)
		defer out.Close()
		assert.ErrorIs(t, torch.Try(func() { kept.Add(x) }), torch.ErrClosed)
		err := torch.Try(func() { out.Add(x) })
		assert.ErrorIs(t, err, torch.ErrRuntime)
		assert.ErrorContains(t, err, "escaped from inside a function being vmapped")
		assert.ErrorIs(t, torch.Try(func() { out.Float32s() }), torch.ErrRuntime)

		var value *torch.Tensor
		functorch.Grad(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
			value = torch.Disown(x.Square())
			return value.Sum()
		}))(x)
		defer value.Close()
		assert.Equal(t, []float32{2, 6, 12}, value.Add(x).Float32s())
	})
}

// Other goroutines reject a tensor of a VMap layer.
func TestOtherGoroutine(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		var err error
		functorch.VMap(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
			var wg sync.WaitGroup
			wg.Go(func() { err = torch.Try(func() { x.Exp() }) })
			wg.Wait()
			return x
		}))(torch.Ones(torch.Shape{3}))
		assert.ErrorIs(t, err, torch.ErrRuntime)
	})
}

// Many goroutines use transforms at once, while the garbage collector frees tensors on other threads.
func TestGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var x *torch.Tensor
	torch.Scope(func() {
		x = torch.Disown(torch.FromSlice([]float32{0.5, 1, 1.5, 2, 2.5, 3}, 3, 2))
	})
	defer x.Close()
	cube := functorch.Of(func(x *torch.Tensor) *torch.Tensor {
		runtime.Gosched()
		return x.PowScalar(3).Sum()
	})
	var wg sync.WaitGroup
	for g := range 100 {
		wg.Go(func() {
			for range 3 {
				h := functorch.VMap(functorch.Hessian(cube)).One(x) // forward mode over reverse mode over VMap
				d := functorch.VMap(functorch.Grad(cube), functorch.ChunkSize(1+g%3)).One(x)
				torch.Scope(func() {
					assert.Equal(t, []float32{3, 6, 9, 12, 15, 18}, h.Diagonal(torch.Dim1(1), torch.Dim2(2)).Float32s())
					assert.Equal(t, []float32{0.75, 3, 6.75, 12, 18.75, 27}, d.Float32s())
				})
				if g%10 == 0 {
					runtime.GC() // so that the garbage collector frees h and d
				} else {
					_, _ = h.Close(), d.Close()
				}
			}
		})
	}
	wg.Wait()
}

// Random numbers within VMap come from the generator that the goroutine has set.
func TestRandomness(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Zeros(torch.Shape{4, 2})
		noise := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.Add(torch.RandLike(x)) })
		draw := func(opts ...functorch.VMapOption) (y *torch.Tensor) {
			torch.WithGenerator(torch.NewGenerator(torch.CPU).ManualSeed(1), func() {
				y = functorch.VMap(noise, opts...).One(x)
			})
			return y
		}
		torch.ManualSeed(5)
		before := torch.RNGState()
		different, same := draw(functorch.RandomnessDifferent), draw(functorch.RandomnessSame)
		assert.Equal(t, different.Float32s(), draw(functorch.RandomnessDifferent).Float32s())
		assert.NotEqual(t, different.Index(0).Float32s(), different.Index(1).Float32s())
		for i := range 4 {
			assert.Equal(t, same.Index(0).Float32s(), same.Index(i).Float32s())
		}
		assert.Equal(t, same.Float32s(), draw(functorch.RandomnessSame, functorch.ChunkSize(3)).Float32s())
		assert.True(t, torch.RNGState().Equal(before), "the process's generator")
	})
}

// Tensors of layers do not break the list of all tensors, nor the graph of a loss that was kept.
func TestTracked(t *testing.T) {
	before := memory.TrackTensors(1)
	defer memory.TrackTensors(before)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3, 2})
		y := functorch.VMap(functorch.Grad(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
			require.NotEmpty(t, memory.LiveTensors())
			y := x.Exp().Sum()
			require.NotNil(t, memory.Graph(y))
			return y
		}))).One(x)
		assert.Equal(t, torch.Shape{3, 2}, y.Shape())
	})
}

// A VJPFunc keeps its graph until it is closed, and works after its layer was popped.
func TestVJPFunc(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, w := torch.FromSlice([]float32{1, 2}), torch.FromSlice([]float32{3, 4})
		y, vjp := functorch.VJP(functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor {
			return x[0].Mul(x[1]).Square()
		}), list(x, w))
		defer func() { assert.NoError(t, vjp.Close()) }()
		assert.Equal(t, []float32{9, 64}, y[0].Float32s())
		for range 2 {
			g := vjp.Apply(torch.OnesLike(x))
			assert.Equal(t, []float32{18, 64}, g[0].Float32s())
			assert.Equal(t, []float32{6, 32}, g[1].Float32s())
		}
		// The second derivative, through Apply.
		h := functorch.Jacrev(functorch.Of(func(v *torch.Tensor) *torch.Tensor { return vjp.Apply(v)[0] })).
			One(torch.OnesLike(x))
		assert.Equal(t, []float32{18, 0, 0, 64}, h.Float32s())
	})
}

// Ordinary autograd can compute gradients through transforms.
func TestThroughAutograd(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2}).RequiresGrad_()
		square := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.PowScalar(3) })
		functorch.VMap(square).One(x).Sum().Backward()
		assert.Equal(t, []float32{3, 12}, x.Grad().Float32s())
		x.SetGrad(nil)
		functorch.VMap(functorch.Grad(square)).One(x).Sum().Backward()
		assert.Equal(t, []float32{6, 12}, x.Grad().Float32s())
		x.SetGrad(nil)
		_, d := functorch.JVP(square, list(x), list(torch.OnesLike(x)))
		d[0].Sum().Backward()
		assert.Equal(t, []float32{6, 12}, x.Grad().Float32s())
	})
}

// Within a transform that differentiates, the function may make tensors that require gradients.
func TestLeafWithin(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		g := functorch.Grad(functorch.Of(func(x *torch.Tensor) *torch.Tensor {
			w := torch.Ones(torch.Shape{3}, torch.RequiresGrad(true))
			return torch.Grad(list(w.Mul(x).Sum()), list(w), torch.CreateGraph(true))[0].Sum()
		})).One(torch.FromSlice([]float32{1, 2, 3}))
		assert.Equal(t, []float32{1, 1, 1}, g.Float32s())
	})
}
