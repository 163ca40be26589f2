package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

func TestForkRNG(t *testing.T) {
	torch.ManualSeed(4)
	want := torch.Rand(torch.Shape{3}).Float32s()
	torch.ManualSeed(4)
	var inside []float32
	torch.ForkRNG(func() {
		torch.ManualSeed(5)
		inside = torch.Rand(torch.Shape{3}).Float32s()
	}, torch.CPU)
	assert.NotEqual(t, want, inside)
	assert.Equal(t, want, torch.Rand(torch.Shape{3}).Float32s())

	torch.ManualSeed(4)
	require.Panics(t, func() {
		torch.ForkRNG(func() {
			torch.Rand(torch.Shape{3})
			panic("inside")
		})
	})
	assert.Equal(t, want, torch.Rand(torch.Shape{3}).Float32s(), "also after a panic")
	require.ErrorIs(t, torch.Try(func() { torch.ForkRNG(nil) }), torch.ErrNil)
	require.Error(t, torch.Try(func() { torch.ForkRNG(func() { t.Error("ran") }, torch.CUDA.At(99)) }))
}

func TestGeneratorsHaveADevice(t *testing.T) {
	assert.Equal(t, torch.CPU, torch.NewGenerator(torch.CPU).Device())
	assert.Equal(t, torch.CPU, torch.DefaultGenerator(torch.Device(0)).Device())
	var none *torch.Generator
	require.ErrorIs(t, torch.Try(func() { none.Device() }), torch.ErrNil)
}
