package nn_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// An error about the size of a parameter names the constructor and the argument.
func TestSizesThatAreNone(t *testing.T) {
	constructors := []struct {
		op, arg string
		make    func(n int64)
	}{
		{"NewLinear", "in", func(n int64) { nn.NewLinear(n, 2) }},
		{"NewLinear", "out", func(n int64) { nn.NewLinear(2, n) }},
		{"NewConv1d", "in", func(n int64) { nn.NewConv1d(n, 2, 3) }},
		{"NewConv2d", "out", func(n int64) { nn.NewConv2d(1, n, 3) }},
		{"NewConv3d", "kernelSize", func(n int64) { nn.NewConv3d(1, 2, n) }},
		{"NewBatchNorm1d", "channels", func(n int64) { nn.NewBatchNorm1d(n) }},
		{"NewBatchNorm2d", "channels", func(n int64) { nn.NewBatchNorm2d(n) }},
		{"NewGroupNorm", "channels", func(n int64) { nn.NewGroupNorm(1, n) }},
		{"NewLayerNorm", "shape", func(n int64) { nn.NewLayerNorm(torch.Shape{2, n}) }},
		{"NewRMSNorm", "shape", func(n int64) { nn.NewRMSNorm(torch.Shape{2, n}) }},
		{"NewEmbedding", "rows", func(n int64) { nn.NewEmbedding(n, 2) }},
		{"NewEmbedding", "features", func(n int64) { nn.NewEmbedding(2, n) }},
		{"NewMultiheadAttention", "embed", func(n int64) { nn.NewMultiheadAttention(n, 1) }},
	}
	live := torch.NumLiveTensors()
	for _, c := range constructors {
		for _, n := range []int64{-1, 1 << 62, math.MaxInt64, math.MinInt64} {
			e := errorOf(t, func() { c.make(n) })
			assert.ErrorIs(t, e, torch.ErrValue, "%s(%d)", c.op, n)
			assert.Equal(t, c.op, e.Op)
			assert.Contains(t, e.Message, "argument "+c.arg+": ", "%s(%d)", c.op, n)
		}
	}
	// Each size is valid, but together they are more bytes than 64 bits can count.
	e := errorOf(t, func() { nn.NewLinear(1<<40, 1<<40) })
	assert.ErrorIs(t, e, torch.ErrOutOfMemory)
	assert.Equal(t, "NewLinear", e.Op)
	assert.Contains(t, e.Message, "arguments in 1099511627776, out 1099511627776: ")
	// This layer needs more memory than any machine has.
	e = errorOf(t, func() { nn.NewBatchNorm2d(1 << 50) })
	assert.ErrorIs(t, e, torch.ErrOutOfMemory)
	assert.Equal(t, "NewBatchNorm2d", e.Op)
	assert.Contains(t, e.Message, "arguments channels 1125899906842624: ")
	assert.Equal(t, live, torch.NumLiveTensors())
}

// An error about a missing device names the constructor, not an inner function.
func TestDeviceOfALayerThatIsNot(t *testing.T) {
	for _, d := range []torch.Device{torch.Device(3), torch.CUDA.At(127)} {
		e := errorOf(t, func() { nn.NewLinear(2, 2, nn.Device(d)) })
		assert.ErrorIs(t, e, torch.ErrDevice)
		assert.Equal(t, "NewLinear", e.Op)
		assert.Contains(t, e.Message, "argument Device: ")
	}
}

func errorOf(t *testing.T, fn func()) *torch.Error {
	t.Helper()
	var e *torch.Error
	require.ErrorAs(t, torch.Try(fn), &e)
	return e
}
