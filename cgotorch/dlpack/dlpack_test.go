package dlpack_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/dlpack"
	"github.com/gotorch/gotorch/cgotorch/dlpack/foreign"
)

func TestExportImport(t *testing.T) {
	data := []float32{1, 2, 3, 4, 5, 6}
	made := cgotorch.FromData(0, unsafe.Pointer(&data[0]), 24, []int64{2, 3}, abi.DTypeFloat32, abi.DeviceCPU)
	require.Zero(t, made.Err)
	for _, versioned := range []bool{false, true} {
		assert.Equal(t, dlpack.Exported, dlpack.Refuses(made.T))
		s, why, st := dlpack.Export(0, made.T, versioned, 2)
		require.Zero(t, st)
		require.Equal(t, dlpack.Exported, why)
		i := s.Read()
		assert.True(t, i.Own)
		assert.Equal(t, []int64{2, 3}, unsafe.Slice(i.Shape, i.NDim))
		assert.Equal(t, []int64{3, 1}, unsafe.Slice(i.Strides, i.NDim))
		assert.Equal(t, versioned, i.Major == 1)
		assert.Equal(t, versioned, i.Flags == 2)
		assert.EqualValues(t, abi.DTypeFloat32, i.DType)
		r := dlpack.Import(0, i.Data, []int64{6}, []int64{1}, i.DType, abi.DeviceCPU, 0)
		require.Zero(t, r.Err)
		var out [6]float32
		require.Zero(t, cgotorch.CopyOut(0, r.T, unsafe.Pointer(&out), 24))
		assert.Equal(t, data, out[:])
		cgotorch.Free(r.T)
		s.Delete()
	}
	s, _, st := dlpack.Export(0, made.T, true, 0)
	require.Zero(t, st)
	cgotorch.Free(made.T)
	assert.InDelta(t, 6, unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(nil), s.Read().Data)), 6)[5], 0,
		"it has the memory")
	foreign.Taker{At: s.At, Versioned: true}.DeleteElsewhere()
}

// If an import fails, it must not release the object.
func TestImportFails(t *testing.T) {
	live := cgotorch.HasReleased()
	const cuda0 = abi.DeviceCUDA<<8 | 1
	r := dlpack.Import(0, 8, []int64{1}, []int64{1}, abi.DTypeFloat32, cuda0, 7) // CUDA is not open
	require.NotZero(t, r.Err)
	assert.NotEmpty(t, cgotorch.TakeError(r.Err).Message)
	assert.Equal(t, live, cgotorch.HasReleased())
}

func TestForeign(t *testing.T) {
	for _, versioned := range []bool{false, true} {
		a := foreign.New(versioned, true, 3)
		i := a.Struct.Read()
		assert.False(t, i.Own)
		assert.Equal(t, uintptr(a.Tensor.Data), i.Data)
		assert.EqualValues(t, abi.DTypeFloat32, i.DType)
		if versioned {
			a.Head.Major = 2
			assert.Equal(t, dlpack.Info{Major: 2}, a.Struct.Read(), "the rest may lie elsewhere")
		}
		a.Struct.Delete()
		assert.Equal(t, 1, a.Deleted())
		a.Free()
	}
}
