package torch_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// An option that a function cannot honour is an error, as it is in Python.
func TestOptionsThatDoNotApply(t *testing.T) {
	shape := torch.Shape{1, 2, 3, 4}
	x := torch.Zeros(shape)
	defer x.Close()
	g := torch.NewGenerator(torch.CPU)
	for want, fn := range map[string]func(){
		"torch: Zeros: argument opts: channels_last, which is no option of this function":      func() { torch.Zeros(shape, torch.ChannelsLast) },
		"torch: Randn: argument opts: NonBlocking, which is no option of this function":        func() { torch.Randn(shape, torch.NonBlocking) },
		"torch: Ones: argument opts: a *Generator, which is no option of this function":        func() { torch.Ones(shape, g) },
		"torch: To: argument opts: RequiresGrad, which is no option of this function":          func() { x.To(torch.RequiresGrad) },
		"torch: To: argument opts: PinMemory, which is no option of this function":             func() { x.To(torch.PinMemory) },
		"torch: TrilIndices: argument opts: RequiresGrad, which is no option of this function": func() { torch.TrilIndices(2, 2, 0, torch.RequiresGrad) },
		"torch: FromSlice: argument opts: channels_last, which is no option of this function":  func() { torch.FromSliceWith([]float32{1}, nil, torch.ChannelsLast) },
		"torch: Empty: argument opts: nil, which is no option of this function":                func() { torch.Empty(shape, nil) },
		"torch: ZerosLike: argument opts: a *Generator, which is no option of this function":   func() { torch.ZerosLike(x, g) },
	} {
		err := torch.Try(fn)
		require.ErrorIs(t, err, torch.ErrValue, want)
		assert.EqualError(t, err, want)
	}
	// And one that it can, is.
	y := torch.EmptyLike(x, torch.ChannelsLast)
	defer y.Close()
	assert.True(t, y.IsContiguous(torch.ChannelsLast))
	assert.False(t, y.IsContiguous())
	for _, c := range []struct {
		shape torch.Shape
		want  bool
	}{{torch.Shape{2, 3}, false}, {torch.Shape{0, 3, 4, 4}, false}, {torch.Shape{2, 1, 4, 4}, true}, {torch.Shape{2, 3, 1, 1}, true}} {
		w := torch.Zeros(c.shape)
		assert.Equal(t, c.want, w.IsContiguous(torch.ChannelsLast), "%v, as in Python", c.shape)
		require.NoError(t, w.Close())
	}
	z := torch.Rand(shape, g, torch.Float64, torch.RequiresGrad)
	defer z.Close()
	assert.Equal(t, torch.Float64, z.DType())
	assert.True(t, z.RequiresGrad())
}

// Closing the last tensor over a shared slice lets go of it, without any other
// call that would.
func TestSharedMemoryIsReleasedByClose(t *testing.T) {
	for name, free := range map[string]func(data []float32){
		"Close": func(data []float32) {
			x := torch.FromSliceShared(data)
			require.NoError(t, x.Close())
		},
		"scope": func(data []float32) {
			torch.Scope(func() { torch.FromSliceShared(data) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			data := make([]float32, 1<<16)
			first := weak.Make(&data[0])
			free(data)
			runtime.GC()
			assert.Nil(t, first.Value(), "the slice is still held")
		})
	}
}

func TestDetectAnomalyNests(t *testing.T) {
	defer torch.SetDetectAnomaly(true, false)()
	torch.SetDetectAnomaly(true, true)()
	x := torch.FromSliceWith([]float32{-1}, nil, torch.RequiresGrad)
	defer x.Close()
	torch.Scope(func() { x.Sqrt().Backward() }) // its gradient is NaN, which nobody looks for
}
