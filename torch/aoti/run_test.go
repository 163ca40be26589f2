package aoti_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aoti"
	"github.com/gotorch/gotorch/torchtest"
)

// kind runs fn and returns the error with which it panics.
func kind(fn func()) error { return torch.Try(func() { torch.Scope(fn) }) }

// Inputs that do not match are refused before compiled code reads them.
func TestInputsThatDoNotFit(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	mlp, conv, parts := load(t, "mlp"), load(t, "conv"), load(t, "parts")
	ones := func(sizes ...int64) *torch.Tensor { return torch.Ones(torch.Shape(sizes)) }
	x, offset := func() *torch.Tensor { return ones(3, 2) }, func() *torch.Tensor { return ones(2) }
	for name, row := range map[string]struct {
		m    *aoti.Model
		in   func() []*torch.Tensor
		want error
		says string
	}{
		"too few": {mlp, func() []*torch.Tensor { return nil }, torch.ErrValue, "expected 1 tensors, got 0"},
		"too many": {
			mlp, func() []*torch.Tensor { return []*torch.Tensor{x(), x()} }, torch.ErrValue,
			"expected 1 tensors, got 2",
		},
		"nil": {mlp, func() []*torch.Tensor { return []*torch.Tensor{nil} }, torch.ErrNil, "inputs"},
		"dtype": {mlp, func() []*torch.Tensor {
			return []*torch.Tensor{ones(3, 4).To(torch.Float64)}
		}, torch.ErrDType, "expected float32, got float64"},
		"device": {
			mlp, func() []*torch.Tensor { return []*torch.Tensor{ones(3, 4).To(torch.Meta)} },
			torch.ErrDevice, "expected a tensor on cpu, got one on meta",
		},
		"layout": {
			mlp, func() []*torch.Tensor { return []*torch.Tensor{ones(3, 4).ToSparse()} },
			torch.ErrValue, "expected a dense tensor",
		},
		"no dimensions": {
			mlp, func() []*torch.Tensor { return []*torch.Tensor{ones()} }, torch.ErrShape,
			"expected 2 dimensions",
		},
		"dimensions": {
			mlp, func() []*torch.Tensor { return []*torch.Tensor{ones(3, 4, 1)} }, torch.ErrShape,
			"expected 2 dimensions",
		},
		"fixed size": {
			mlp, func() []*torch.Tensor { return []*torch.Tensor{ones(3, 5)} }, torch.ErrShape,
			"dimension 1 has size 5",
		},
		"too large": {
			mlp, func() []*torch.Tensor { return []*torch.Tensor{ones(65, 4)} }, torch.ErrShape,
			"dimension 0 has size 65",
		},
		"strides": {
			mlp, func() []*torch.Tensor { return []*torch.Tensor{ones(4, 3).T()} }, torch.ErrValue,
			"Contiguous",
		},
		"expanded": {
			mlp, func() []*torch.Tensor { return []*torch.Tensor{ones(1, 4).Expand(3, 4)} },
			torch.ErrValue, "Contiguous",
		},
		"conjugate": {mlp, func() []*torch.Tensor {
			return []*torch.Tensor{torch.Ones(torch.Shape{3, 4}, torch.Complex64)}
		}, torch.ErrDType, "expected float32"},
		"negative": {
			mlp, func() []*torch.Tensor { return []*torch.Tensor{negative()} }, torch.ErrValue,
			"pending conjugate or negative",
		},
		"channels first": {
			conv, func() []*torch.Tensor { return []*torch.Tensor{ones(2, 3, 8, 8)} }, torch.ErrValue,
			"ChannelsLast",
		},
		"too small": {parts, func() []*torch.Tensor {
			return []*torch.Tensor{ones(1, 2), ones(1, 2), offset()}
		}, torch.ErrShape, "dimension 0 has size 1"},
		"another's size": {parts, func() []*torch.Tensor {
			return []*torch.Tensor{x(), ones(4, 2), offset()}
		}, torch.ErrShape, "is 3"},
		"another's size ": {parts, func() []*torch.Tensor {
			return []*torch.Tensor{x(), ones(2, 2), offset()}
		}, torch.ErrShape, "is 3"},
	} {
		t.Run(name, func(t *testing.T) {
			err := kind(func() { row.m.Run(row.in()...) })
			require.ErrorIs(t, err, row.want)
			assert.ErrorContains(t, err, row.says)
		})
	}
	err := kind(func() {
		c := ones(3, 4)
		require.NoError(t, c.Close())
		mlp.Run(c)
	})
	assert.ErrorIs(t, err, torch.ErrClosed)
}

// negative returns a view of shape (3, 4) that negates the values in memory.
func negative() *torch.Tensor {
	z := torch.Ones(torch.Shape{2, 3, 4}, torch.Complex64).Conj()
	im := z.Imag() // has strides of 2
	return im.AsStrided([]int64{3, 4}, []int64{4, 1}, 0)
}

// A varying size may have any value in its range, and a dimension of size 1 may have any
// stride.
func TestInputsThatFit(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	m := load(t, "mlp")
	torch.Scope(func() {
		all := torch.Randn(torch.Shape{64, 4}, torch.NewGenerator(1))
		want := m.Run(all)[0]
		for _, n := range []int64{0, 1, 2, 7, 64} {
			got := m.Run(all.Narrow(0, 0, n))[0]
			assert.Equal(t, torch.Shape{n, 2}, got.Shape())
			torchtest.AllClose(t, want.Narrow(0, 0, n), got)
		}
		one := all.AsStrided([]int64{1, 4}, []int64{999, 1}, 0)
		torchtest.AllClose(t, want.Narrow(0, 0, 1), m.Run(one)[0])
	})
}

// Run records no gradients. In inference mode, Run returns inference tensors.
func TestModes(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	m := load(t, "mlp")
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2, 4}, torch.RequiresGrad(true))
		y := m.Run(x)[0]
		assert.False(t, y.RequiresGrad())
		torch.InferenceMode(func() {
			z := m.Run(x)[0]
			assert.True(t, z.IsInference())
			assert.True(t, y.Equal(z))
		})
	})
}

// Results belong to the scope, and stay valid after the model is closed. This holds even
// for a result that is one of the model's constants.
func TestResultsOutliveTheModel(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	m, err := aoti.Load(packages(t) + "/parts.pt2")
	require.NoError(t, err)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3, 2})
		results := m.Run(x, x, torch.Zeros(torch.Shape{2}))
		scale := m.ExtractConstants()["scale"]
		require.NoError(t, m.Close())
		require.NoError(t, m.Close())
		assert.Equal(t, []float32{2, 3}, scale.Float32s())
		found := 0
		for _, r := range results {
			if r.Dim() == 1 {
				assert.Equal(t, []float32{2, 3}, r.Float32s())
				found++
			}
		}
		assert.Equal(t, 1, found)
		assert.ErrorIs(t, kind(func() { m.Run(x, x, x.Select(0, 0)) }), torch.ErrClosed)
		assert.ErrorIs(t, kind(func() { m.ExtractConstants() }), torch.ErrClosed)
		assert.ErrorIs(t, m.LoadConstants(nil, aoti.CheckFullUpdate(false)), torch.ErrClosed)
	})
	assert.Zero(t, libraries(t))
	assert.NotEmpty(t, m.Metadata())
	assert.Len(t, m.Inputs(), 3)
}

// A model called from many goroutines returns the same results as from one goroutine,
// with any number of runners.
func TestGoroutines(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	packages(t)
	for name, opts := range map[string][]aoti.LoadOption{
		"one runner": {aoti.Runners(1)}, "several": {aoti.Runners(3)}, "the default": nil,
		"single threaded": {aoti.SingleThreaded(true)},
	} {
		t.Run(name, func(t *testing.T) {
			m := load(t, "mlp", opts...)
			torch.Scope(func() {
				x := torch.Randn(torch.Shape{5, 4}, torch.NewGenerator(1))
				want := load(t, "mlp").Run(x)[0].Float32s()
				var wg sync.WaitGroup
				for range 16 {
					wg.Go(func() {
						for range 20 {
							torch.Scope(func() { assert.Equal(t, want, m.Run(x)[0].Float32s()) })
						}
					})
				}
				wg.Wait()
			})
		})
	}
}

// Close waits for running calls. Later calls panic with ErrClosed.
func TestCloseBesideCalls(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	m := load(t, "mlp")
	x := torch.Ones(torch.Shape{2, 4})
	defer func() { require.NoError(t, x.Close()) }()
	var wg sync.WaitGroup
	begun := make(chan struct{}, 8)
	for range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				err := kind(func() { m.Run(x) })
				if i == 0 {
					begun <- struct{}{}
				}
				if err != nil {
					assert.ErrorIs(t, err, torch.ErrClosed)
					return
				}
			}
		})
	}
	for range 8 {
		<-begun
	}
	require.NoError(t, m.Close())
	wg.Wait()
}

// A model that is no longer reachable is unloaded together with its library.
func TestCollected(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	path := packages(t) + "/mlp.pt2"
	require.Zero(t, libraries(t))
	func() {
		m, err := aoti.Load(path)
		require.NoError(t, err)
		assert.Positive(t, libraries(t))
		runtime.KeepAlive(m)
	}()
	for range 1000 { // try again, because the runtime runs the cleanup on another goroutine
		runtime.GC()
		if libraries(t) == 0 {
			break
		}
		runtime.Gosched()
	}
	assert.Zero(t, libraries(t))
}

func TestNilModel(t *testing.T) {
	var none *aoti.Model
	for name, fn := range map[string]func(){
		"Run": func() { none.Run() }, "Metadata": func() { none.Metadata() }, "Inputs": func() { none.Inputs() },
		"CallSpec": func() { none.CallSpec() }, "Constants": func() { none.Constants() },
		"ExtractConstants": func() { none.ExtractConstants() }, "LoadConstants": func() { _ = none.LoadConstants(nil) },
		"zero": func() { new(aoti.Model).Run() },
	} {
		var e *torch.Error
		require.True(t, errors.As(torch.Try(fn), &e), name)
		assert.ErrorIs(t, e, torch.ErrNil, name)
	}
	assert.NoError(t, none.Close())
}
