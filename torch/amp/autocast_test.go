package amp_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/cuda"
	"github.com/gotorch/gotorch/torchtest"
)

// product returns the dtype of a matrix product of float32 tensors.
func product() (d torch.DType) {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2, 2})
		d = x.MatMul(x).DType()
	})
	return d
}

func TestAutocastNests(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	state := func() (bool, torch.DType, bool, torch.DType) {
		return amp.IsAutocastEnabled(torch.CPU), amp.AutocastDType(torch.CPU), amp.IsAutocastCacheEnabled(), product()
	}
	is := func(enabled bool, dtype torch.DType, cache bool, result torch.DType) {
		t.Helper()
		e, d, c, r := state()
		assert.Equal(t, []any{enabled, dtype, cache, result}, []any{e, d, c, r})
	}
	is(false, torch.BFloat16, true, torch.Float32)
	amp.Autocast(torch.CPU, 0, func() {
		is(true, torch.BFloat16, true, torch.BFloat16)
		amp.Autocast(torch.CPU, torch.Float16, func() {
			is(true, torch.Float16, false, torch.Float16)
			amp.Autocast(torch.CPU, 0, func() {
				is(false, torch.Float16, false, torch.Float32)
				torch.EnableGrad(func() { is(false, torch.Float16, false, torch.Float32) })
			}, amp.Enabled(false))
			is(true, torch.Float16, false, torch.Float16)
		}, amp.CacheEnabled(false))
		is(true, torch.BFloat16, true, torch.BFloat16)
		assert.PanicsWithValue(t, "out", func() {
			amp.Autocast(torch.CPU, torch.Float16, func() { panic("out") }, amp.CacheEnabled(false))
		})
		is(true, torch.BFloat16, true, torch.BFloat16)
		assert.False(t, amp.IsAutocastEnabled(torch.CUDA.At(0)), "each type of device has its own")
		assert.Equal(t, torch.Float16, amp.AutocastDType(torch.CUDA.At(3)))
	})
	is(false, torch.BFloat16, true, torch.Float32)
}

func TestSetAutocastDType(t *testing.T) {
	amp.SetAutocastDType(torch.CPU, torch.Float16)
	defer amp.SetAutocastDType(torch.CPU, torch.BFloat16)
	assert.Equal(t, torch.Float16, amp.AutocastDType(torch.CPU))
	amp.Autocast(torch.CPU, 0, func() { assert.Equal(t, torch.Float16, product()) })
	amp.Autocast(torch.CPU, torch.BFloat16, func() {
		assert.Equal(t, torch.BFloat16, amp.AutocastDType(torch.CPU))
		assert.Equal(t, torch.BFloat16, product())
	})
}

// As in Python, a dtype that the CPU does not support gives a warning, and so does CUDA
// on a machine without CUDA.
func TestImpossibleAutocastIsOff(t *testing.T) {
	defer torch.SetWarnings(torch.SetWarnings(torch.WarnNever))
	amp.Autocast(torch.CPU, torch.Float32, func() {
		assert.False(t, amp.IsAutocastEnabled(torch.CPU))
		assert.Equal(t, torch.Float32, amp.AutocastDType(torch.CPU))
		assert.Equal(t, torch.Float32, product())
	})
	amp.Autocast(torch.CUDA.At(0), 0, func() {
		assert.Equal(t, cuda.IsAvailable(), amp.IsAutocastEnabled(torch.CUDA.At(0)))
		assert.Equal(t, torch.Float16, amp.AutocastDType(torch.CUDA.At(0)))
		assert.Equal(t, torch.Float32, product(), "not the CPU's")
	})
	assert.True(t, amp.IsAutocastAvailable(torch.CPU))
	assert.True(t, amp.IsAutocastAvailable(torch.CUDA.At(1)))
	assert.False(t, amp.IsAutocastAvailable(torch.Meta))
}

func TestAutocastErrors(t *testing.T) {
	ran := func() { t.Error("ran") }
	for name, c := range map[string]struct {
		kind error
		run  func()
	}{
		"device":     {torch.ErrDevice, func() { amp.Autocast(torch.Meta, 0, ran) }},
		"dtype":      {torch.ErrDType, func() { amp.Autocast(torch.CPU, torch.Int64, ran) }},
		"nil":        {torch.ErrNil, func() { amp.Autocast(torch.CPU, 0, nil) }},
		"nil option": {torch.ErrNil, func() { amp.Autocast(torch.CPU, 0, ran, nil) }},
		"is":         {torch.ErrDevice, func() { amp.IsAutocastEnabled(torch.Meta) }},
		"get":        {torch.ErrDevice, func() { amp.AutocastDType(torch.Meta) }},
		"set":        {torch.ErrDType, func() { amp.SetAutocastDType(torch.CPU, torch.Bool) }},
		"set device": {torch.ErrDevice, func() { amp.SetAutocastDType(torch.Meta, torch.Float16) }},
		"no fwd":     {torch.ErrNil, func() { amp.CustomFwd(torch.CPU, nil) }},
		"no bwd":     {torch.ErrNil, func() { amp.CustomBwd(torch.CPU, nil) }},
		"cast": {torch.ErrDType, func() {
			amp.CustomFwd(torch.CPU, func(*torch.Context, ...*torch.Tensor) []*torch.Tensor { return nil },
				amp.CastInputs(torch.Int32))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			err := torch.Try(c.run)
			require.ErrorIs(t, err, c.kind)
			assert.Contains(t, err.Error(), "amp.")
		})
	}
	assert.False(t, amp.IsAutocastEnabled(torch.CPU))
}

// weight returns a leaf tensor whose cast is cached.
func weight() *torch.Tensor { return torch.Ones(torch.Shape{2, 2}, torch.RequiresGrad(true)) }

// Casts are cached within the outermost Autocast, and only there. As in Python, later
// changes to the weight do not change the cached cast.
func TestCastsAreKept(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		w, x := weight(), torch.Ones(torch.Shape{1, 2})
		value := func() float64 { return x.MatMul(w).Select(1, 0).Item() }
		double := func() { torch.NoGrad(func() { w.MulScalar_(2) }) }
		amp.Autocast(torch.CPU, 0, func() {
			amp.Autocast(torch.CPU, 0, func() { assert.Equal(t, 2.0, value()) })
			double()
			assert.Equal(t, 2.0, value(), "the inner one's end keeps it")
			amp.Autocast(torch.CPU, 0, func() { assert.Equal(t, 4.0, value()) }, amp.CacheEnabled(false))
			assert.Equal(t, 2.0, value())
			amp.ClearAutocastCache()
			assert.Equal(t, 4.0, value())
		})
		double()
		amp.Autocast(torch.CPU, 0, func() { assert.Equal(t, 8.0, value()) })
	})
}

// A cast made without gradients is not used where gradients are recorded.
func TestCastsWithoutGradients(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, mode := range map[string]func(func()){"no grad": torch.NoGrad, "inference": torch.InferenceMode} {
		t.Run(name, func(t *testing.T) {
			torch.Scope(func() {
				w, x := weight(), torch.Ones(torch.Shape{1, 2})
				amp.Autocast(torch.CPU, 0, func() {
					mode(func() { assert.False(t, x.MatMul(w).RequiresGrad()) })
					y := x.MatMul(w)
					require.True(t, y.RequiresGrad())
					y.Sum().Backward()
				})
				assert.Equal(t, []float32{1, 1, 1, 1}, w.Grad().Float32s())
			})
		})
	}
}

// A goroutine never uses a cast that another goroutine made, which may have a different
// dtype or an old value of the weight.
func TestGoroutinesShareNoCasts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		w, x := weight(), torch.Ones(torch.Shape{1, 2})
		amp.Autocast(torch.CPU, torch.BFloat16, func() {
			y := x.MatMul(w)
			require.Equal(t, torch.BFloat16, y.DType())
			torch.NoGrad(func() { w.MulScalar_(2) })
			var wg sync.WaitGroup
			wg.Go(func() {
				torch.Scope(func() {
					assert.False(t, amp.IsAutocastEnabled(torch.CPU), "it does not inherit")
					amp.Autocast(torch.CPU, torch.Float16, func() {
						assert.True(t, amp.IsAutocastCacheEnabled())
						z := x.MatMul(w)
						assert.Equal(t, torch.Float16, z.DType())
						assert.Equal(t, 4.0, z.Select(1, 0).Item())
					})
				})
			})
			wg.Wait()
			assert.Equal(t, 2.0, x.MatMul(w).Select(1, 0).Item(), "nor does it empty what this one keeps")
		})
	})
}

// Many goroutines share one weight, each with its own dtype and graph.
func TestGoroutinesWithOneWeight(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	w := weight()
	defer w.Close()
	var wg sync.WaitGroup
	for i := range 16 {
		dtype := []torch.DType{torch.BFloat16, torch.Float16}[i%2]
		wg.Go(func() {
			for range 30 {
				torch.Scope(func() {
					x := torch.Ones(torch.Shape{1, 2})
					var loss *torch.Tensor
					amp.Autocast(torch.CPU, dtype, func() {
						if i%4 == 0 {
							torch.NoGrad(func() { assert.Equal(t, dtype, x.MatMul(w).DType()) })
						}
						y := x.MatMul(w)
						runtime.Gosched()
						assert.Equal(t, dtype, y.DType())
						loss = y.MatMul(w).Sum()
					})
					assert.Equal(t, 8.0, loss.Item())
					g := torch.Grad([]*torch.Tensor{loss}, []*torch.Tensor{w})[0]
					assert.Equal(t, []float32{4, 4, 4, 4}, g.Float32s())
				})
			}
		})
	}
	wg.Wait()
}

// As in Python, Backward runs in the autocast state of its caller.
func TestBackwardUnderAutocast(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	in := func(within bool) (got torch.DType) {
		torch.Scope(func() {
			w := weight()
			y := w.MulScalar(2)
			defer y.RegisterHook(func(*torch.Tensor) *torch.Tensor { got = product(); return nil }).Remove()
			if within {
				amp.Autocast(torch.CPU, 0, func() { y.Sum().Backward() })
			} else {
				y.Sum().Backward()
			}
		})
		return got
	}
	assert.Equal(t, torch.Float32, in(false))
	assert.Equal(t, torch.BFloat16, in(true))
}

// As in Python, autocast does not affect in-place operators or operators with an output argument.
func TestInPlaceUnderAutocast(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, y := torch.Full(torch.Shape{2, 2}, 1.001), torch.Full(torch.Shape{2, 2}, 1.001)
		want := x.Clone().Addmm_(x, y)
		amp.Autocast(torch.CPU, 0, func() {
			got := x.Clone().Addmm_(x, y)
			assert.Equal(t, torch.Float32, got.DType())
			assert.True(t, want.Equal(got))
			assert.Equal(t, torch.Float32, x.Clone().Add_(x.MatMul(y)).DType())
		})
	})
}
