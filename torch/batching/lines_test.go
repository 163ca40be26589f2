package batching_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
)

// Tensors made by a batcher's goroutines are attributed to the line of NewBatcher, if the
// forward function is in the library. A result is attributed to the line that called Do.
func TestLinesOfBatches(t *testing.T) {
	layer := nn.NewLinear(3, 2)
	defer layer.Close()
	var during []memory.LiveTensor
	layer.RegisterForwardPreHook(func(nn.Module, []*torch.Tensor) []*torch.Tensor {
		during = memory.LiveTensors()
		return nil
	})
	_, _, line, _ := runtime.Caller(0)
	b := batching.NewBatcher(layer.Forward)
	defer b.Close()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3})
		check := memory.StartLeakCheck()
		y, err := b.Do(context.Background(), x)
		require.NoError(t, err)
		leaks := check.Stop()
		require.Len(t, leaks.Tensors, 1)
		assert.Equal(t, fmt.Sprintf("lines_test.go:%d batching_test.TestLinesOfBatches.func2", line+6),
			leaks.Tensors[0].Line())
		require.NotEmpty(t, during)
		for _, made := range during {
			assert.Equal(t, fmt.Sprintf("lines_test.go:%d batching_test.TestLinesOfBatches", line+1), made.Line())
		}
		y.Close()
	})
}
