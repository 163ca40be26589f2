package cuda_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
	"github.com/gotorch/gotorch/torchtest"
)

// firstHalf copies the first half of x; its backward pass copies the gradient. The simulated
// driver can run both copies.
func firstHalf(x *torch.Tensor) *torch.Tensor { return x.Narrow(0, 0, x.Size(0)/2).Clone() }

func on(dev torch.Device, requires bool, v ...float32) *torch.Tensor {
	x := torch.FromSlice(v).ToDevice(dev)
	x.SetRequiresGrad(requires)
	return x
}

// A graphed callable gives the same results as the callable, and the same gradients of
// arguments and parameters, in every step.
func TestCUDAGraphedCallable(t *testing.T) {
	dev := needCUDA(t)
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		w := on(dev, true, 5, 6)
		ran := 0
		g := cuda.MakeGraphedCallables([]cuda.Callable{{
			Forward: func(x ...*torch.Tensor) []*torch.Tensor {
				ran++
				return []*torch.Tensor{firstHalf(x[0]), w.Clone(), x[1].Clone()}
			},
			SampleArgs: []*torch.Tensor{on(dev, true, 0, 0, 0, 0), on(dev, false, 0)},
			Parameters: []*torch.Tensor{w},
		}})[0]
		assert.Equal(t, 4, ran, "three times before")
		for i := float32(0); i < 3; i++ {
			x, other := on(dev, true, i, i+1, i+2, i+3), on(dev, false, 10*i)
			y := g.Call(x, other)
			assert.Equal(t, []float32{i, i + 1}, y[0].CPU().Float32s())
			assert.Equal(t, []float32{5, 6}, y[1].CPU().Float32s())
			assert.Equal(t, []float32{10 * i}, y[2].CPU().Float32s())
			assert.True(t, y[0].RequiresGrad())
			assert.False(t, y[2].RequiresGrad(), "as that of the callable")
			w.SetGrad(nil)
			torch.Backward(y[:2], torch.GradTensors{on(dev, false, 7+i, 8+i), on(dev, false, 9+i, 10+i)})
			assert.Equal(t, []float32{7 + i, 8 + i}, x.Grad().CPU().Float32s()[:2])
			assert.Equal(t, []float32{9 + i, 10 + i}, w.Grad().CPU().Float32s())
		}
		assert.Equal(t, 4, ran, "Go's part is done once")
		torch.NoGrad(func() { assert.False(t, g.Call(on(dev, true, 1, 2, 3, 4), on(dev, false, 1))[0].RequiresGrad()) })
		require.NoError(t, g.Close())
		require.NoError(t, g.Close())
	})
}

// Gradients accumulate if they are not cleared, although each backward pass writes to the same memory.
func TestCUDAGraphedCallableAddsGradients(t *testing.T) {
	dev := needCUDA(t)
	torch.Scope(func() {
		w := on(dev, true, 1, 2)
		g := cuda.MakeGraphedCallables([]cuda.Callable{{
			Forward:    func(...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{w.Clone()} },
			SampleArgs: []*torch.Tensor{on(dev, false, 0)},
			Parameters: []*torch.Tensor{w},
		}})[0]
		x := on(dev, false, 0)
		pass := func(a, b float32) {
			torch.Backward(g.Call(x), torch.GradTensors{on(dev, false, a, b)})
		}
		pass(3, 4)
		first := w.Grad()
		pass(5, 6)
		if simulated() {
			// The simulated driver does not compute additions. The first gradient must not
			// have changed.
			assert.Equal(t, []float32{3, 4}, w.Grad().CPU().Float32s())
		} else {
			assert.Equal(t, []float32{8, 10}, w.Grad().CPU().Float32s())
		}
		require.NoError(t, first.Close())
		require.NoError(t, g.Close())
	})
}

// Callables that are recorded together share a pool, and gradients flow through all of them.
func TestCUDAGraphedCallablesInARow(t *testing.T) {
	dev := needCUDA(t)
	torch.Scope(func() {
		half := cuda.Callable{
			Forward:    func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{firstHalf(x[0])} },
			SampleArgs: []*torch.Tensor{on(dev, true, 0, 0, 0, 0)},
		}
		quarter := half
		quarter.SampleArgs = []*torch.Tensor{on(dev, true, 0, 0)}
		pool := cuda.GraphPoolHandle()
		gs := cuda.MakeGraphedCallables([]cuda.Callable{half, quarter}, pool, cuda.NumWarmupIters(0))
		x := on(dev, true, 1, 2, 3, 4)
		y := gs[1].Call(gs[0].Call(x)...)
		assert.Equal(t, []float32{1}, y[0].CPU().Float32s())
		torch.Backward(y, torch.GradTensors{on(dev, false, 9)})
		assert.EqualValues(t, 9, x.Grad().CPU().Float32s()[0])
		for _, g := range gs {
			require.NoError(t, g.Close())
		}
	})
	memory.EmptyCache(dev)
}

func TestCUDAGraphedCallableMisuse(t *testing.T) {
	dev := needCUDA(t)
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		refuses := func(kind error, f func()) {
			t.Helper()
			err := torch.Try(f)
			require.ErrorIs(t, err, kind)
			var e *torch.Error
			require.True(t, errors.As(err, &e))
			assert.NotEmpty(t, e.Op)
			assert.False(t, cuda.IsCurrentStreamCapturing())
		}
		w := on(dev, true, 1, 2)
		x := on(dev, false, 1, 2)
		clone := func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{x[0].Clone()} }
		weight := func(...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{w.Clone()} }
		closed := on(dev, false, 1)
		require.NoError(t, closed.Close())
		list := func(ts ...*torch.Tensor) []*torch.Tensor { return ts }
		record := func(c cuda.Callable, opts ...cuda.GraphedOption) *cuda.GraphedCallable {
			return cuda.MakeGraphedCallables([]cuda.Callable{c}, opts...)[0]
		}
		refuses(torch.ErrNil, func() { record(cuda.Callable{SampleArgs: list(x)}) })
		refuses(torch.ErrValue, func() { record(cuda.Callable{Forward: clone}) })
		refuses(torch.ErrNil, func() { record(cuda.Callable{Forward: clone, SampleArgs: list(nil)}) })
		refuses(torch.ErrClosed, func() { record(cuda.Callable{Forward: clone, SampleArgs: list(closed)}) })
		refuses(torch.ErrClosed, func() {
			record(cuda.Callable{Forward: clone, SampleArgs: list(x), Parameters: list(closed)})
		})
		refuses(torch.ErrDevice, func() {
			record(cuda.Callable{Forward: clone, SampleArgs: list(torch.Ones(torch.Shape{1}))})
		})
		refuses(torch.ErrValue, func() {
			record(cuda.Callable{Forward: clone, SampleArgs: list(x)}, cuda.NumWarmupIters(-1))
		})
		refuses(torch.ErrValue, func() { record(cuda.Callable{Forward: weight, SampleArgs: list(x)}) })
		unused := cuda.Callable{Forward: weight, SampleArgs: list(on(dev, true, 1)), Parameters: list(w)}
		refuses(torch.ErrAutograd, func() { record(unused) })
		require.NoError(t, record(unused, cuda.AllowUnusedInput(true)).Close())
		// Waiting for the device fails in the recording, not during the warm-up.
		item := func(x ...*torch.Tensor) []*torch.Tensor {
			x[0].Select(0, 0).Item()
			return list(x[0].Clone())
		}
		refuses(torch.ErrRuntime, func() { record(cuda.Callable{Forward: item, SampleArgs: list(x)}) })
		nested := func(x ...*torch.Tensor) []*torch.Tensor {
			return record(cuda.Callable{Forward: clone, SampleArgs: x}).Call(x...)
		}
		refuses(torch.ErrValue, func() {
			record(cuda.Callable{Forward: nested, SampleArgs: list(x)}, cuda.NumWarmupIters(0))
		})
		require.PanicsWithValue(t, "inside", func() {
			record(cuda.Callable{
				Forward:    func(...*torch.Tensor) []*torch.Tensor { panic("inside") },
				SampleArgs: list(x),
			})
		})

		g := record(cuda.Callable{Forward: clone, SampleArgs: list(on(dev, true, 0, 0))})
		refuses(torch.ErrValue, func() { g.Call() })
		refuses(torch.ErrNil, func() { g.Call(nil) })
		refuses(torch.ErrClosed, func() { g.Call(closed) })
		refuses(torch.ErrShape, func() { g.Call(on(dev, false, 1, 2, 3)) })
		refuses(torch.ErrDType, func() { g.Call(torch.Zeros(torch.Shape{2}, torch.Float16, dev)) })
		refuses(torch.ErrDevice, func() { g.Call(torch.Zeros(torch.Shape{2})) })
		refuses(torch.ErrNil, func() { (*cuda.GraphedCallable)(nil).Call() })
		plain := record(cuda.Callable{Forward: clone, SampleArgs: list(x)})
		refuses(torch.ErrValue, func() { plain.Call(on(dev, true, 1, 2)) }) // the recording has no such gradient
		y := g.Call(on(dev, true, 1, 2))
		later := g.Call(on(dev, true, 3, 4))
		one := torch.GradTensors{on(dev, false, 1, 1)}
		refuses(torch.ErrAutograd, func() { torch.Backward(y, one) }) // the activations were overwritten
		torch.Backward(later, one)
		again := g.Call(on(dev, true, 1, 2))
		require.NoError(t, g.Close())
		refuses(torch.ErrClosed, func() { torch.Backward(again, one) })
		refuses(torch.ErrClosed, func() { g.Call(x) })
		require.NoError(t, plain.Close())
		require.NoError(t, (*cuda.GraphedCallable)(nil).Close())
		require.NoError(t, (*cuda.CUDAGraph)(nil).Close())
		assert.Equal(t, []float32{1, 2}, again[0].CPU().Float32s(), "results stay")
	})
}

// Only one goroutine may use a callable at a time. Calls on another goroutine fail. A backward
// pass whose activations were overwritten fails instead of giving wrong results.
func TestCUDAGraphedCallableOfTwoGoroutines(t *testing.T) {
	dev := needCUDA(t)
	x := on(dev, true, 1, 2)
	g := cuda.MakeGraphedCallables([]cuda.Callable{{
		Forward:    func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{x[0].Clone()} },
		SampleArgs: []*torch.Tensor{x},
	}})[0]
	y := g.Call(x)
	other := func(f func()) error {
		done := make(chan error)
		go func() { done <- torch.Try(f) }()
		return <-done
	}
	require.NoError(t, other(func() { g.Call(x)[0].Close() }))
	require.ErrorIs(t, torch.Try(func() { torch.Backward(y, torch.GradTensors{on(dev, false, 1, 1)}) }),
		torch.ErrAutograd)
	errs := make(chan error)
	for range 8 {
		go func() {
			errs <- torch.Try(func() {
				for range 50 {
					g.Call(x)[0].Close()
				}
			})
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			require.ErrorIs(t, err, torch.ErrValue)
			assert.Contains(t, err.Error(), "another goroutine")
		}
	}
	cuda.Synchronize()
	require.NoError(t, y[0].Close())
	require.NoError(t, g.Close())
}

// A whole step, with model, loss, backward pass and optimizer, can be one graph. The forward and
// backward pass of a model can be graphs in a step that is not a graph.
func TestCUDAGraphOfATrainingStep(t *testing.T) {
	dev := needCUDA(t)
	torch.Scope(func() {
		model := nn.NewSequential(nn.NewLinear(4, 8, nn.Device(dev)), nn.NewReLU(), nn.NewLinear(8, 3, nn.Device(dev)))
		opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
		x, y := torch.Zeros(torch.Shape{2, 4}, dev), torch.Zeros(torch.Shape{2}, torch.Int64, dev)
		step := func(forward func(x *torch.Tensor) *torch.Tensor) {
			opt.ZeroGrad()
			F.CrossEntropy(forward(x), y).Backward()
			opt.Step()
		}
		s := cuda.NewStream()
		s.WaitStream(cuda.CurrentStream())
		s.Do(func() {
			for range 3 {
				torch.Scope(func() { step(model.Forward) })
			}
		})
		cuda.CurrentStream().WaitStream(s)
		g := cuda.NewCUDAGraph()
		opt.ZeroGrad()
		cuda.Graph(g, func() { torch.Scope(func() { step(model.Forward) }) })
		for range 3 {
			g.Replay()
		}
		cuda.Synchronize()
		require.NoError(t, g.Close())

		adam, refused := optim.NewAdam(model.Parameters()), cuda.NewCUDAGraph()
		err := torch.Try(func() { cuda.Graph(refused, adam.Step) })
		require.ErrorIs(t, err, torch.ErrRuntime)
		assert.ErrorContains(t, err, "Adam.Step: argument capturable: is false, and a graph is being recorded")
		require.NoError(t, refused.Close())
		adam.Step()
		require.NoError(t, adam.Close())
		opt.ZeroGrad()

		part := cuda.MakeGraphedCallables([]cuda.Callable{{
			Forward:    func(x ...*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{model.Forward(x[0])} },
			SampleArgs: []*torch.Tensor{x},
			Parameters: model.Parameters(),
		}})[0]
		for range 3 {
			torch.Scope(func() { step(func(x *torch.Tensor) *torch.Tensor { return part.Call(x)[0] }) })
		}
		for _, p := range model.Parameters() {
			assert.NotNil(t, p.Grad())
		}
		require.NoError(t, part.Close())
	})
	cuda.Synchronize()
	memory.EmptyCache(dev)
}
