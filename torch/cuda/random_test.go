package cuda_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// rngState returns the state of a CUDA generator: its seed and its offset, 16 bytes.
func rngState(dev torch.Device) []uint8 { return cuda.RNGState(dev).Uint8s() }

func TestCUDASeeds(t *testing.T) {
	dev := needCUDA(t)
	n := cuda.DeviceCount()
	cuda.ManualSeed(7)
	assert.EqualValues(t, 7, cuda.InitialSeed())
	cuda.ManualSeedAll(8)
	for i := range n {
		assert.EqualValues(t, 8, torch.DefaultGenerator(torch.CUDA.At(i)).InitialSeed())
	}
	before := torch.InitialSeed()
	cuda.SeedAll()
	seed := cuda.InitialSeed()
	assert.NotEqualValues(t, 8, seed)
	for i := range n {
		assert.Equal(t, seed, torch.DefaultGenerator(torch.CUDA.At(i)).InitialSeed())
	}
	cuda.Seed()
	assert.NotEqual(t, seed, cuda.InitialSeed())
	assert.Equal(t, before, torch.InitialSeed(), "the CPU's is another")
	torch.ManualSeed(9)
	assert.EqualValues(t, 9, cuda.InitialSeed())
	if n > 1 {
		cuda.WithDevice(torch.CUDA.At(1), func() { cuda.ManualSeed(10) })
		assert.EqualValues(t, 9, cuda.InitialSeed())
		assert.EqualValues(t, 10, torch.DefaultGenerator(torch.CUDA.At(1)).InitialSeed())
		cuda.WithDevice(torch.CUDA.At(1), func() {
			assert.EqualValues(t, 10, cuda.InitialSeed())
			assert.Equal(t, torch.CUDA.At(1), torch.NewGenerator(torch.CUDA).Device())
			assert.Equal(t, torch.CUDA.At(1), torch.DefaultGenerator(torch.CUDA).Device())
		})
	}
	assert.Equal(t, dev, torch.NewGenerator(torch.CUDA).Device())
}

// Drawing advances a generator, and setting its state resets it.
func TestCUDARNGState(t *testing.T) {
	dev := needCUDA(t)
	torch.ManualSeed(3)
	start := cuda.RNGState(dev)
	assert.EqualValues(t, 16, start.Numel())
	torch.Randn(torch.Shape{1000}, dev)
	moved := rngState(dev)
	assert.NotEqual(t, start.Uint8s(), moved)
	all := cuda.RNGStateAll()
	require.Len(t, all, cuda.DeviceCount())
	cuda.SetRNGState(start, dev)
	assert.Equal(t, start.Uint8s(), rngState(dev))
	cuda.SetRNGStateAll(all)
	assert.Equal(t, moved, rngState(dev))
	cuda.SetRNGStateAll(all[:1])
	require.ErrorIs(t, torch.Try(func() { cuda.SetRNGStateAll(append(all, start)) }), torch.ErrValue)
	require.Error(t, torch.Try(func() { cuda.SetRNGState(torch.Zeros(torch.Shape{3}, torch.Uint8), dev) }))
	assert.Equal(t, moved, rngState(dev))

	// A separate generator is independent of the default one.
	g := torch.NewGenerator(dev).ManualSeed(5)
	own := g.State().Uint8s()
	torch.Randn(torch.Shape{1000}, dev, g)
	assert.NotEqual(t, own, g.State().Uint8s())
	assert.Equal(t, moved, rngState(dev))
}

func TestCUDAForkRNG(t *testing.T) {
	dev := needCUDA(t)
	torch.ManualSeed(3)
	cpu, gpu := torch.RNGState().Uint8s(), rngState(dev)
	draw := func() {
		torch.Randn(torch.Shape{10})
		torch.Randn(torch.Shape{10}, dev)
	}
	torch.ForkRNG(draw)
	assert.Equal(t, cpu, torch.RNGState().Uint8s())
	assert.Equal(t, gpu, rngState(dev))
	require.Panics(t, func() { torch.ForkRNG(func() { draw(); panic("inside") }, dev) })
	assert.Equal(t, gpu, rngState(dev), "also after a panic")
	torch.ForkRNG(draw, torch.CPU)
	assert.Equal(t, cpu, torch.RNGState().Uint8s())
	assert.NotEqual(t, gpu, rngState(dev), "only the CPU's was asked for")
	require.ErrorIs(t, torch.Try(func() { torch.ForkRNG(draw, torch.CUDA.At(99)) }), torch.ErrDevice)
}

// A seed that is set before CUDA is loaded applies to its devices, even if CUDA is loaded
// inside of ForkRNG.
func TestCUDAEarlySeed(t *testing.T) {
	if os.Getenv("GOTORCH_CHILD") == "" {
		needCUDA(t)
		child(t, "TestCUDAEarlySeed")
		return
	}
	torch.ManualSeed(12)
	torch.ForkRNG(func() {
		torch.ManualSeed(13)
		dev := needCUDA(t)
		assert.EqualValues(t, 13, cuda.InitialSeed())
		torch.Randn(torch.Shape{10}, dev)
	})
	assert.EqualValues(t, 12, cuda.InitialSeed())
	assert.EqualValues(t, 12, torch.InitialSeed())
}
