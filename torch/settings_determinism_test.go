package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

func TestDeterministicAlgorithms(t *testing.T) {
	require.False(t, torch.AreDeterministicAlgorithmsEnabled())
	defer torch.UseDeterministicAlgorithms(false)
	leakFree(t, func() {
		// Writing to the same element more than once is not deterministic.
		put := func() {
			torch.Zeros(torch.Shape{2}).Put_(torch.FromSlice([]int64{0, 0}), torch.Ones(torch.Shape{2}))
		}
		torch.UseDeterministicAlgorithms(true)
		assert.True(t, torch.AreDeterministicAlgorithmsEnabled())
		assert.False(t, torch.IsDeterministicAlgorithmsWarnOnlyEnabled())
		assert.Equal(t, []int64{9223372036854775807}, torch.Empty(torch.Shape{1}, torch.Int64).Int64s())
		strict := torch.Try(put)

		torch.UseDeterministicAlgorithms(true, torch.WarnOnly(false), torch.WarnOnly(true))
		assert.True(t, torch.IsDeterministicAlgorithmsWarnOnlyEnabled(), "the last option counts")
		torch.SetWarnings(torch.WarnNever)
		defer torch.SetWarnings(torch.WarnOnce)
		assert.NoError(t, torch.Try(put))
		assert.Error(t, strict)

		torch.UseDeterministicAlgorithms(false)
		assert.False(t, torch.AreDeterministicAlgorithmsEnabled())
		assert.NoError(t, torch.Try(put))
		assert.ErrorIs(t, torch.Try(func() { torch.UseDeterministicAlgorithms(true, nil) }), torch.ErrNil)
		assert.False(t, torch.AreDeterministicAlgorithmsEnabled(), "a call that panics changes nothing")
	})
}

func TestRNGState(t *testing.T) {
	leakFree(t, func() {
		torch.ManualSeed(3)
		state := torch.RNGState()
		assert.Equal(t, torch.Uint8, state.DType())
		assert.Equal(t, uint64(3), torch.InitialSeed())
		first := torch.Rand(torch.Shape{4}).Float32s()
		assert.NotEqual(t, first, torch.Rand(torch.Shape{4}).Float32s())
		torch.SetRNGState(state)
		assert.Equal(t, first, torch.Rand(torch.Shape{4}).Float32s())
		assert.ErrorIs(t, torch.Try(func() { torch.SetRNGState(nil) }), torch.ErrNil)
		assert.Error(t, torch.Try(func() { torch.SetRNGState(torch.Ones(torch.Shape{2})) }))
	})
}
