package dlpack

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	native "github.com/gotorch/gotorch/cgotorch/dlpack"
	"github.com/gotorch/gotorch/torch"
)

// maxDims is the largest number of dimensions for most operators of libtorch, and for
// NumPy.
const maxDims = 64

// flagPadded says that elements smaller than a byte take one byte each.
const flagPadded = 1 << 2

// array is the checked description of an array.
type array struct {
	Info

	data   uintptr // the address of the first element, 0 if there is none
	device torch.Device
}

// check checks all fields of a struct and copies them, so that later changes to the
// struct do no harm.
func check(op string, s native.Struct) (array, error) {
	i := s.Read()
	fault := func(kind error, field, format string, args ...any) error {
		return torch.NewError(op, kind, "c", field+": "+fmt.Sprintf(format, args...))
	}
	a := array{Info: Info{
		Major: int(i.Major), Minor: int(i.Minor),
		Device: DLDevice{DeviceType(i.DeviceType), int(i.DeviceID)},
		DType:  torch.DTypeOf(i.DType), ReadOnly: i.Flags&flagReadOnly != 0, Copied: i.Flags&flagCopied != 0,
	}}
	if s.Versioned && i.Major != 1 {
		return array{}, fault(torch.ErrNotImplemented, "version",
			"DLPack %d.%d is not supported, except for its deleter; expected version 1", i.Major, i.Minor)
	}
	var ok bool
	if a.device, ok = a.Device.torch(); !ok {
		return array{}, fault(torch.ErrDevice, "device",
			"memory of %v is not supported; expected kDLCPU, kDLCUDAHost or kDLCUDA", a.Device)
	}
	if i.DType < 0 {
		return array{}, fault(torch.ErrDType, "dtype", "libtorch has no dtype of code %d with %d bits and %d lanes",
			i.Code, i.Bits, i.Lanes)
	}
	if i.Bits < 8 && i.Flags&flagPadded != 0 {
		return array{}, fault(torch.ErrDType, "flags", "elements of %d bits take a byte each, but libtorch packs them",
			i.Bits)
	}
	if i.NDim < 0 || i.NDim > maxDims {
		return array{}, fault(torch.ErrShape, "ndim", "expected 0 to %d dimensions, got %d", maxDims, i.NDim)
	}
	if i.Shape == nil && i.NDim > 0 {
		return array{}, fault(torch.ErrNil, "shape", "expected a pointer for %d dimensions, got null", i.NDim)
	}
	a.Shape = slices.Clone(unsafe.Slice(i.Shape, i.NDim))
	if i.Strides != nil {
		a.Stride = slices.Clone(unsafe.Slice(i.Strides, i.NDim))
	}
	bytes, err := a.extent(fault)
	if err != nil {
		return array{}, err
	}
	if bytes == 0 {
		return a, nil
	}
	if i.Data == 0 {
		return array{}, fault(torch.ErrNil, "data", "expected a pointer to elements of %d bytes, got null", bytes)
	}
	first, carry := bits.Add64(uint64(i.Data), i.ByteOffset, 0)
	if _, past := bits.Add64(first, uint64(bytes), 0); carry != 0 || past != 0 {
		return array{}, fault(torch.ErrValue, "byte_offset",
			"%d bytes at offset %d from %#x end beyond the address space", bytes, i.ByteOffset, i.Data)
	}
	// Complex numbers must be aligned to their whole size too, because kernels read
	// both parts with one aligned instruction.
	if size := uint64(a.DType.Size()); first%size != 0 {
		return array{}, fault(torch.ErrValue, "data", "%v elements are at %#x, which is not a multiple of %d", a.DType,
			first, size)
	}
	a.data = uintptr(first)
	return a, nil
}

// extent checks shape and strides, and returns the number of bytes between the first
// element and the end of the last. It sets contiguous strides if the struct has none or
// the array has no elements.
func (a *array) extent(fault func(kind error, field, format string, args ...any) error) (int64, error) {
	size := a.DType.Size()
	contiguous := make([]int64, len(a.Shape))
	elements, empty := int64(1), false
	for d := len(a.Shape) - 1; d >= 0; d-- {
		n := a.Shape[d]
		if n < 0 {
			return 0, fault(torch.ErrShape, fmt.Sprintf("shape[%d]", d), "expected no negative size, got %v", a.Shape)
		}
		contiguous[d] = elements
		empty = empty || n == 0
		hi, lo := bits.Mul64(uint64(elements), uint64(max(n, 1)))
		if hi != 0 || lo > uint64(maxBytes/size) {
			return 0, fault(torch.ErrShape, "shape", "shape %v of %d bytes each has more bytes than 64 bits can count",
				a.Shape, size)
		}
		elements = int64(lo)
	}
	if a.Stride == nil || empty {
		a.Stride = contiguous
		if empty {
			return 0, nil
		}
		return elements * size, nil
	}
	last := uint64(0) // the index of the furthest element
	for d, n := range a.Shape {
		stride := a.Stride[d]
		if n == 1 && stride < 0 {
			a.Stride[d] = contiguous[d] // libtorch never uses this stride
			continue
		}
		if stride < 0 {
			return 0, fault(torch.ErrValue, fmt.Sprintf("strides[%d]", d),
				"%d is negative; libtorch does not support negative strides, so copy the array first", stride)
		}
		hi, lo := bits.Mul64(uint64(stride), uint64(n-1))
		if hi != 0 || lo > uint64(maxBytes/size)-1-last {
			return 0, fault(torch.ErrValue, fmt.Sprintf("strides[%d]", d),
				"stride %v with shape %v reaches further than 64 bits can count", a.Stride, a.Shape)
		}
		last += lo
	}
	// Replace large strides of dimensions of size 1: libtorch multiplies them too, which
	// could overflow.
	for d, n := range a.Shape {
		if n == 1 && a.Stride[d] > maxBytes/size {
			a.Stride[d] = contiguous[d]
		}
	}
	return int64(last+1) * size, nil
}

// maxBytes bounds the extent of a tensor: a process cannot have more addresses.
const maxBytes = 1 << 56
