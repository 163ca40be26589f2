package amp_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/cuda"
	"github.com/gotorch/gotorch/torchtest"
)

// Each goroutine has its own autocast state for CUDA, separate from its state for the
// CPU.
func TestAutocastOnCUDA(t *testing.T) {
	if !cuda.IsAvailable() {
		t.Skip("no CUDA")
	}
	cuBLAS()
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		half := torch.Zeros(torch.Shape{2, 2}, torch.Float16, torch.CUDA.At(0))
		single := torch.Zeros(torch.Shape{2, 2}, torch.CUDA.At(0))
		got := func() []torch.DType {
			return []torch.DType{
				half.Exp().DType(), half.Sum().DType(), half.Softmax(1).DType(), half.PowScalar(2).DType(),
				half.Add(half).DType(), half.ReLU().DType(), single.MatMul(single).DType(), product(),
			}
		}
		const h, s = torch.Float16, torch.Float32
		plain := []torch.DType{h, h, h, h, h, h, s, s}
		assert.Equal(t, plain, got())
		amp.Autocast(torch.CUDA.At(0), 0, func() {
			cast := []torch.DType{s, s, s, s, h, h, h, s}
			assert.Equal(t, cast, got())
			torch.NoGrad(func() { assert.Equal(t, cast, got()) })
			var wg sync.WaitGroup
			wg.Go(func() { torch.Scope(func() { assert.Equal(t, plain, got()) }) })
			wg.Wait()
			amp.Autocast(torch.CPU, 0, func() { assert.Equal(t, torch.BFloat16, product()) })
			amp.Autocast(torch.CUDA.At(0), 0, func() { assert.Equal(t, plain, got()) }, amp.Enabled(false))
			assert.Equal(t, h, half.Mul(single.Sum()).DType())
		})
		assert.Equal(t, plain, got())
	})
}
