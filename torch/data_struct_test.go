package torch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// A slice of an array in a struct can be used even if the struct also holds a Go pointer. cgo
// checks the whole struct unless it can see that only numbers are passed.
func TestSliceOfAStructWithPointers(t *testing.T) {
	s := &struct {
		state [4]float32
		shape [2]int64
		name  *string
	}{state: [4]float32{1, 2, 3, 4}, shape: [2]int64{2, 2}, name: new(string)}

	a := torch.FromSlice(s.state[:], s.shape[:]...)
	require.Equal(t, []float32{1, 2, 3, 4}, a.Float32s())
	require.Equal(t, []float32{1, 2, 3, 4}, torch.NewTensor(s.state[:]).Float32s())
	shared := torch.FromSliceShared(s.state[:])
	require.Equal(t, []float32{1, 2, 3, 4}, shared.Float32s())
	require.NoError(t, shared.Close())

	a.AddScalar(1).CopyTo(s.state[:])
	require.Equal(t, [4]float32{2, 3, 4, 5}, s.state)
	require.Equal(t, []float32{2, 3, 4, 5}, a.CopyFrom(s.state[:]).Float32s())
}
