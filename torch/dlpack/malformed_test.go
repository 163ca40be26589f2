package dlpack_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch/dlpack/foreign"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/dlpack"
	"github.com/gotorch/gotorch/torchtest"
)

// For a hostile value in any field of a struct, the error names the field and the capsule
// is unchanged.
func TestMalformed(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const most = math.MaxInt64
	shape := func(sizes ...int64) func(a *foreign.Tensor) {
		return func(a *foreign.Tensor) {
			a.NDim, a.Strides = int32(len(sizes)), nil
			copy(a.Shape[:], sizes)
		}
	}
	strides := func(n, stride int64) func(a *foreign.Tensor) {
		return func(a *foreign.Tensor) { a.Shape[0], a.Strides[0] = n, stride }
	}
	dtype := func(code, bits uint8, lanes uint16) func(a *foreign.Tensor) {
		return func(a *foreign.Tensor) { a.Code, a.Bits, a.Lanes = code, bits, lanes }
	}
	device := func(kind, id int32) func(a *foreign.Tensor) {
		return func(a *foreign.Tensor) { a.DeviceType, a.DeviceID = kind, id }
	}
	for name, c := range map[string]struct {
		change func(a *foreign.Tensor)
		kind   error
		says   string
	}{
		"data null": {
			func(a *foreign.Tensor) { a.Data = nil }, torch.ErrNil,
			"data: expected a pointer to elements of 16 bytes, got null",
		},
		"data not aligned": {func(a *foreign.Tensor) {
			a.Data = unsafe.Add(a.Data, 1)
			a.Shape[0] = 1
		}, torch.ErrValue, "data: float32 elements are at"},
		"offset not aligned": {
			func(a *foreign.Tensor) { a.ByteOffset, a.Shape[0] = 2, 1 }, torch.ErrValue,
			"which is not a multiple of 4",
		},
		"complex not aligned": {func(a *foreign.Tensor) {
			a.Code, a.Bits, a.ByteOffset, a.Shape[0] = 5, 64, 4, 1
		}, torch.ErrValue, "data: complex64 elements are at"},
		"offset huge": {
			func(a *foreign.Tensor) { a.ByteOffset = math.MaxUint64 - 3 }, torch.ErrValue,
			"byte_offset: 16 bytes",
		},
		"offset to the end": {func(a *foreign.Tensor) {
			a.ByteOffset = math.MaxUint64 - uint64(uintptr(a.Data)) - 7
		}, torch.ErrValue, "beyond the address space"},
		"device 0":                 {device(0, 0), torch.ErrDevice, "device: memory of DLDeviceType(0):0"},
		"device of OpenCL":         {device(4, 0), torch.ErrDevice, "kDLOpenCL"},
		"device of ROCm":           {device(10, 1), torch.ErrDevice, "kDLROCM:1"},
		"device unknown":           {device(12345, -9), torch.ErrDevice, "DLDeviceType(12345):-9"},
		"device negative":          {device(-1, 0), torch.ErrDevice, "DLDeviceType(-1):0"},
		"CUDA device negative":     {device(2, -1), torch.ErrDevice, "kDLCUDA:-1"},
		"CUDA device huge":         {device(2, 1<<20), torch.ErrDevice, "kDLCUDA:1048576"},
		"CUDA device that is none": {device(2, 127), torch.ErrDevice, "cuda:127"},
		"code unknown": {
			dtype(200, 32, 1), torch.ErrDType,
			"dtype: libtorch has no dtype of code 200 with 32 bits and 1 lanes",
		},
		"code opaque":   {dtype(3, 64, 1), torch.ErrDType, "code 3"},
		"bits 0":        {dtype(2, 0, 1), torch.ErrDType, "with 0 bits"},
		"bits 7":        {dtype(0, 7, 1), torch.ErrDType, "with 7 bits"},
		"bits 255":      {dtype(1, 255, 1), torch.ErrDType, "with 255 bits"},
		"float80":       {dtype(2, 80, 1), torch.ErrDType, "with 80 bits"},
		"bool of a bit": {dtype(6, 1, 1), torch.ErrDType, "code 6 with 1 bits"},
		"float6":        {dtype(15, 6, 1), torch.ErrDType, "code 15"},
		"float8_e4m3":   {dtype(8, 8, 1), torch.ErrDType, "code 8"},
		"float4 alone":  {dtype(17, 4, 1), torch.ErrDType, "code 17"},
		"complex256":    {dtype(5, 0, 1), torch.ErrDType, "code 5"},
		"lanes 0":       {dtype(2, 32, 0), torch.ErrDType, "0 lanes"},
		"lanes 4":       {dtype(2, 32, 4), torch.ErrDType, "4 lanes"},
		"lanes 65535":   {dtype(2, 32, 65535), torch.ErrDType, "65535 lanes"},
		"ndim negative": {
			func(a *foreign.Tensor) { a.NDim = -1 }, torch.ErrShape,
			"ndim: expected 0 to 64 dimensions, got -1",
		},
		"ndim least": {func(a *foreign.Tensor) { a.NDim = math.MinInt32 }, torch.ErrShape, "ndim"},
		"ndim 65":    {func(a *foreign.Tensor) { a.NDim = 65 }, torch.ErrShape, "got 65"},
		"ndim most":  {func(a *foreign.Tensor) { a.NDim = math.MaxInt32 }, torch.ErrShape, "ndim"},
		"shape null": {
			func(a *foreign.Tensor) { a.Shape = nil }, torch.ErrNil,
			"shape: expected a pointer for 1 dimensions, got null",
		},
		"size negative":            {shape(2, -1), torch.ErrShape, "shape[1]: expected no negative size, got (2, -1)"},
		"size least":               {shape(math.MinInt64), torch.ErrShape, "shape[0]"},
		"size most":                {shape(most), torch.ErrShape, "than 64 bits can count"},
		"sizes whose product is 0": {shape(1<<32, 1<<32), torch.ErrShape, "shape"},
		"none of very many":        {shape(0, most, most), torch.ErrShape, "shape"},
		"stride negative":          {strides(2, -1), torch.ErrValue, "strides[0]: -1 is negative"},
		"stride least":             {strides(2, math.MinInt64), torch.ErrValue, "strides[0]"},
		"stride most":              {strides(3, most), torch.ErrValue, "reaches further"},
		"stride far":               {strides(2, 1<<61), torch.ErrValue, "reaches further"},
		"stride beyond addresses": {func(a *foreign.Tensor) {
			a.Shape[0], a.Strides[0], a.ByteOffset = 2, 1<<40, math.MaxUint64-1<<42
		}, torch.ErrValue, "the address space"},
	} {
		for kind := range versions {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				a, capsule := array(t, kind, false, 4)
				intact := *a.Tensor
				c.change(a.Tensor)
				_, err := dlpack.FromDLPack(capsule)
				var e *torch.Error
				require.ErrorAs(t, err, &e)
				require.ErrorIs(t, err, c.kind)
				require.ErrorContains(t, err, c.says)
				assert.Equal(t, "dlpack.FromDLPack", e.Op)
				if name != "CUDA device that is none" {
					_, err = capsule.Info()
					require.ErrorIs(t, err, c.kind)
				}
				assert.Zero(t, a.Deleted(), "the capsule has it still")
				*a.Tensor = intact
				a.Tensor.Shape[0], a.Tensor.Strides[0] = 4, 1
				x, err := dlpack.FromDLPack(capsule)
				require.NoError(t, err, "a struct that is put right will do")
				require.NoError(t, x.Close())
			})
		}
	}
}

func TestMalformedHead(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, major := range []uint32{0, 2, math.MaxUint32} {
		a, c := array(t, dlpack.KindVersioned, false, 4)
		a.Head.Major = major
		*a.Tensor = foreign.Tensor{NDim: -7}
		_, err := dlpack.FromDLPack(c)
		require.ErrorIs(t, err, torch.ErrNotImplemented)
		require.ErrorContains(t, err, "version: DLPack ")
		require.NoError(t, c.Close(), "the deleter is where it was")
	}
	a, c := array(t, dlpack.KindVersioned, false, 4)
	a.Tensor.Code, a.Tensor.Bits, a.Tensor.Lanes = 17, 4, 2
	a.Head.Flags = math.MaxUint64
	_, err := dlpack.FromDLPack(c)
	require.ErrorIs(t, err, torch.ErrDType)
	require.ErrorContains(t, err, "flags: elements of 4 bits")
	require.NoError(t, c.Close())
}

func TestCapsulesThatAreNone(t *testing.T) {
	for kind := range versions {
		c := dlpack.NewCapsule(nil, kind)
		_, err := dlpack.FromDLPack(c)
		require.ErrorIs(t, err, torch.ErrNil)
		require.NoError(t, c.Close())
		assert.Nil(t, c.Take())
	}
	a := foreign.New(false, false, 2)
	for _, kind := range []dlpack.Kind{"", "used_dltensor", "dltensor\x00"} {
		c := dlpack.NewCapsule(a.Struct.At, kind)
		_, err := dlpack.FromDLPack(c)
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorContains(t, err, "kind")
		require.NoError(t, c.Close())
	}
	c := dlpack.NewCapsule(unsafe.Add(a.Struct.At, 4), dlpack.KindLegacy)
	_, err := dlpack.FromDLPack(c)
	require.ErrorIs(t, err, torch.ErrValue)
	assert.NotNil(t, c.Take(), "or Close would take it for a struct")
	assert.Zero(t, a.Deleted())

	x, err := dlpack.FromDLPack(dlpack.NewCapsule(a.Struct.At, dlpack.KindLegacy))
	require.NoError(t, err)
	require.NoError(t, x.Close())
	flush(t)
	assert.Equal(t, 1, a.Deleted())
	a.Free()
}

// A struct need not have a deleter.
func TestWithoutDeleter(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	a := foreign.New(true, false, 2)
	deleter := a.Head.Deleter
	a.Head.Deleter = nil
	x, err := dlpack.FromDLPack(dlpack.NewCapsule(a.Struct.At, dlpack.KindVersioned))
	require.NoError(t, err)
	require.NoError(t, x.Close())
	flush(t)
	assert.Zero(t, a.Deleted())
	a.Head.Deleter = deleter
	a.Struct.Delete()
	assert.Equal(t, 1, a.Deleted())
	a.Free()
}

// FuzzFields checks that no field except the pointers can crash the process, and that an
// accepted tensor has the struct's strides and memory.
func FuzzFields(f *testing.F) {
	f.Add(true, uint32(1), uint64(0), int32(1), int32(0), int32(2), uint8(2), uint8(32), uint16(1), uint64(0), true,
		int64(2), int64(3), int64(3), int64(1))
	f.Add(false, uint32(0), uint64(0), int32(1), int32(0), int32(1), uint8(5), uint8(128), uint16(1), uint64(16), false,
		int64(1), int64(0), int64(0), int64(0))
	f.Add(false, uint32(0), uint64(13), int32(1), int32(0), int32(1), uint8(5), uint8(128), uint16(1), uint64(8), true,
		int64(1), int64(44), int64(-43), int64(-31))
	f.Add(true, uint32(1), uint64(4), int32(3), int32(9), int32(0), uint8(17), uint8(4), uint16(2), uint64(1<<63), true,
		int64(-1), int64(math.MaxInt64), int64(math.MinInt64), int64(-1))
	f.Fuzz(func(t *testing.T, versioned bool, major uint32, flags uint64, device, id, ndim int32, code, bits uint8,
		lanes uint16, offset uint64, hasStrides bool, n0, n1, s0, s1 int64,
	) {
		kind := dlpack.KindLegacy
		if versioned {
			kind = dlpack.KindVersioned
		}
		const room = 4096
		a := foreign.New(versioned, false, room/4)
		d := a.Tensor
		d.DeviceType, d.DeviceID, d.NDim, d.Code, d.Bits, d.Lanes, d.ByteOffset = device, id, ndim, code, bits, lanes,
			offset
		d.Shape[0], d.Shape[1], d.Strides[0], d.Strides[1] = n0, n1, s0, s1
		if !hasStrides {
			d.Strides = nil
		}
		if versioned {
			a.Head.Major, a.Head.Flags = major, flags
		}
		c := dlpack.NewCapsule(a.Struct.At, kind)
		info, infoErr := c.Info()
		x, err := dlpack.FromDLPack(c, dlpack.AllowReadOnly(true))
		if err != nil {
			var e *torch.Error
			require.ErrorAs(t, err, &e)
		} else {
			require.NoError(t, infoErr)
			require.Equal(t, info.Shape, x.Shape())
			require.Equal(t, info.Stride, x.Stride())
			span := int64(1)
			for i, n := range info.Shape {
				span += (n - 1) * info.Stride[i]
			}
			// Only existing memory may be read.
			if x.Numel() > 0 && x.Numel() <= 1<<16 && offset <= room && span <= (room-int64(offset))/info.DType.Size() {
				y := x.Clone()
				require.Equal(t, x.Shape(), y.Shape())
				require.NoError(t, y.Close())
			}
			require.NoError(t, x.Close())
		}
		require.NoError(t, c.Close())
		flush(t)
		require.Equal(t, 1, a.Deleted())
		a.Free()
	})
}

// The stride of a dimension with one element is never used, but libtorch would multiply it.
func TestStrideOfOneElement(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, stride := range []int64{math.MaxInt64, math.MinInt64} {
		a, c := array(t, dlpack.KindVersioned, false, 4)
		a.Tensor.Shape[0], a.Tensor.Strides[0] = 1, stride
		x, err := dlpack.FromDLPack(c)
		require.NoError(t, err)
		assert.Equal(t, []int64{1}, x.Stride())
		require.NoError(t, x.Close())
	}
}
