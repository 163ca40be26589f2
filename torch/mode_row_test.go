package torch_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// autocast runs fn with autocast for the CPU, as package amp does, or without it for the zero
// dtype.
func autocast(dtype torch.DType, fn func()) {
	m := modes.Current()
	m.AutocastCPU, m.DTypeCPU = dtype != 0, uint8(dtype)
	modes.With("autocast", &m, fn)
}

func product(x *torch.Tensor) torch.DType {
	y := x.MatMul(x)
	defer y.Close()
	return y.DType()
}

// Goroutines with different modes alternate on few threads, and each operator runs in its
// goroutine's modes.
func TestRarerModesBelongToTheGoroutine(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	x := torch.Ones(torch.Shape{2, 2})
	defer x.Close()
	dtypes := []torch.DType{0, torch.BFloat16, torch.Float16}
	want := func(d torch.DType) torch.DType {
		if d == 0 {
			return torch.Float32
		}
		return d
	}
	var wg sync.WaitGroup
	for i := range 48 {
		outer, inner := dtypes[i%3], dtypes[i/3%3]
		wg.Go(func() {
			for range 50 {
				autocast(outer, func() {
					assert.Equal(t, want(outer), product(x))
					runtime.Gosched()
					torch.NoGrad(func() {
						autocast(inner, func() {
							runtime.Gosched()
							assert.Equal(t, want(inner), product(x))
							assert.False(t, torch.IsGradEnabled())
						})
						assert.Equal(t, want(outer), product(x))
					})
				})
				assert.Equal(t, torch.Float32, product(x))
			}
		})
	}
	wg.Wait()
}

// An operator does not see the mode of an earlier operator that ran on the same thread. Inference
// mode does not affect the less common modes.
func TestThreadsKeepNoRarerModes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	x := torch.Ones(torch.Shape{2, 2})
	defer x.Close()
	ts := newThreads(t, 2)
	run := func(f func() torch.DType) (d torch.DType) {
		ts.do(func() *torch.Tensor { d = f(); return nil })
		return d
	}
	for range 3 {
		assert.Equal(t, torch.BFloat16, run(func() (d torch.DType) {
			autocast(torch.BFloat16, func() { d = product(x) })
			return d
		}))
		assert.Equal(t, torch.Float32, run(func() torch.DType { return product(x) }))
		assert.Equal(t, torch.Float16, run(func() (d torch.DType) {
			autocast(torch.Float16, func() { torch.InferenceMode(func() { d = product(x) }) })
			return d
		}))
		assert.Equal(t, torch.Float32, run(func() (d torch.DType) {
			torch.InferenceMode(func() { d = product(x) })
			return d
		}))
	}
}

// A hook runs in the modes of the backward pass, and the pass continues with its own modes.
func TestHooksFindRarerModes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	pass := func(dtype torch.DType) (in, after torch.DType) {
		torch.Scope(func() {
			x := torch.Ones(torch.Shape{2, 2}, torch.RequiresGrad(true))
			y := x.MulScalar(2)
			first := y.RegisterHook(func(grad *torch.Tensor) *torch.Tensor {
				in = product(grad)
				autocast(torch.Float16, func() { assert.Equal(t, torch.Float16, product(grad)) })
				autocast(0, func() { assert.Equal(t, torch.Float32, product(grad)) })
				return nil
			})
			defer first.Remove()
			second := x.RegisterHook(func(grad *torch.Tensor) *torch.Tensor {
				after = product(grad)
				return nil
			})
			defer second.Remove()
			autocast(dtype, func() { y.Sum().Backward() })
		})
		return in, after
	}
	for _, d := range []torch.DType{torch.BFloat16, torch.Float16} {
		in, after := pass(d)
		assert.Equal(t, []torch.DType{d, d}, []torch.DType{in, after})
	}
	in, after := pass(0)
	assert.Equal(t, []torch.DType{torch.Float32, torch.Float32}, []torch.DType{in, after})
}
