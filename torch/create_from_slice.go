package torch

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/internal/sysmem"
)

// FromSlice copies Go data into a new tensor on the default device. Without a
// shape the tensor has one dimension. [FromSliceWith] takes options. The
// element type sets the dtype:
//
//	[]float32     Float32      []int, []int64  Int64     []uint64  Uint64
//	[]float64     Float64      []int32         Int32     []uint32  Uint32
//	[]complex64   Complex64    []int16         Int16     []uint16  Uint16
//	[]complex128  Complex128   []int8          Int8      []uint8   Uint8
//	[]bool        Bool
//
// It panics with ErrType for any other type, and with ErrShape if the product
// of the sizes is not the length. Follows torch.tensor.
func FromSlice(data any, shape ...int64) *Tensor {
	return fromSlice("FromSlice", data, shape, nil)
}

// FromSliceWith is [FromSlice] with options: a DType to convert to, a Device to
// copy to, PinMemory for page-locked memory. It panics as FromSlice does, with
// ErrNil for a nil option, and with ErrDevice for a device that does not exist.
func FromSliceWith(data any, shape Shape, opts ...TensorOption) *Tensor {
	return fromSlice("FromSliceWith", data, shape, opts)
}

// fromSlice implements the functions that copy Go data. Errors name op, the called function.
func fromSlice(op string, data any, shape Shape, opts []TensorOption) *Tensor {
	src := sliceOf(op, data)
	shape = src.checkShape(op, shape)
	c := newCreation(op, opts)
	dev := max(c.device, 0)
	r := BeginRaw(op)
	ret := cgotorch.FromData(r.Ctx, src.ptr, src.bytes(), shape, src.dtype.code(), dev)
	if r.again(ret.Err) {
		ret = cgotorch.FromData(r.Ctx, src.ptr, src.bytes(), shape, src.dtype.code(), dev)
	}
	t := r.Tensor(ret)
	runtime.KeepAlive(data)
	returned := false
	defer func() {
		if !returned { // a conversion failed
			_ = t.Close()
		}
	}()
	if c.dtype != -1 && c.dtype != src.dtype.code() {
		converted := toDType(op, t, DTypeOf(c.dtype))
		_ = t.Close()
		t = converted
	}
	if c.pin != nil {
		pinned := t.PinMemory()
		_ = t.Close()
		t = pinned
	}
	t = c.finish(t)
	returned = true
	return t
}

// FromSliceShared returns a CPU tensor that uses the slice's own memory. Nothing is
// copied: a write to the slice is visible in the tensor, and a write to the tensor in the
// slice. The memory stays pinned until every tensor that uses it is closed or collected.
// Until then, do not use the slice for anything else. FromSliceShared accepts the same
// element types and panics as FromSlice does. Follows torch.from_numpy.
func FromSliceShared(data any, shape ...int64) *Tensor {
	const op = "FromSliceShared"
	src := sliceOf(op, data)
	dims := src.checkShape(op, shape)
	if src.n == 0 {
		return FromSliceWith(data, dims, CPU)
	}
	pin := new(sharedMemory)
	pin.pinner.Pin(src.ptr)
	id := callback.RegisterAs(named.Shared, pin)
	var begun bool
	defer callback.DropUnless(&begun, id)
	r := BeginRaw(op)
	begun = true
	return r.Tensor(cgotorch.FromShared(r.Ctx, uintptr(src.ptr), dims, src.dtype.code(), id))
}

// sharedMemory pins a slice while libtorch uses it.
type sharedMemory struct{ pinner runtime.Pinner }

// Release implements callback.Releaser.
func (s *sharedMemory) Release() { s.pinner.Unpin() }

// slice is a Go slice whose element type has a DType.
type slice struct {
	ptr   unsafe.Pointer
	n     int64
	dtype DType
}

func (s slice) bytes() int64 { return s.n * s.dtype.Size() }

func (s slice) checkShape(op string, shape Shape) Shape {
	if shape == nil {
		return Shape{s.n}
	}
	n := int64(1)
	for _, d := range shape {
		if d < 0 {
			panic(argError(op, ErrShape, "shape", fmt.Sprintf("expected no negative size, got %v", shape)))
		}
		if d > 0 && n > math.MaxInt64/d {
			panic(argError(op, ErrShape, "shape", fmt.Sprintf("shape %v has more elements than 64 bits can count",
				shape)))
		}
		n *= d
	}
	if n != s.n {
		panic(argError(op, ErrShape, "shape", fmt.Sprintf("shape %v needs %d elements, but the slice has %d", shape, n,
			s.n)))
	}
	return shape
}

var elementTypes = map[reflect.Kind]DType{
	reflect.Float32: Float32, reflect.Float64: Float64,
	reflect.Complex64: Complex64, reflect.Complex128: Complex128,
	reflect.Int: Int64, reflect.Int64: Int64, reflect.Int32: Int32, reflect.Int16: Int16, reflect.Int8: Int8,
	reflect.Uint64: Uint64, reflect.Uint32: Uint32, reflect.Uint16: Uint16, reflect.Uint8: Uint8,
	reflect.Bool: Bool,
}

func sliceOf(op string, data any) slice {
	v := reflect.ValueOf(data)
	if !v.IsValid() || v.Kind() != reflect.Slice {
		panic(argError(op, ErrType, "data", fmt.Sprintf("expected a slice of numbers or bools, got %T", data)))
	}
	dtype, ok := elementTypes[v.Type().Elem().Kind()]
	if !ok || int64(v.Type().Elem().Size()) != dtype.Size() {
		panic(argError(op, ErrType, "data", fmt.Sprintf("no dtype matches the elements of %T", data)))
	}
	return slice{ptr: v.UnsafePointer(), n: int64(v.Len()), dtype: dtype}
}

// CopyTo copies the elements, in logical order and from any device, into a slice of the
// tensor's element type. It returns the number of elements. It panics with ErrType for
// any other element type, and with ErrShape if the slice is too short.
func (t *Tensor) CopyTo(dst any) int {
	const op = "CopyTo(self)"
	h := t.handle(op, 0)
	d := sliceOf(op, dst)
	n := t.Numel()
	if dt := t.DType(); d.dtype != dt {
		panic(argError(op, ErrType, "dst",
			fmt.Sprintf("%T holds %v, but the tensor holds %v; convert one of them", dst, d.dtype, dt)))
	}
	if d.n < n {
		panic(argError(op, ErrShape, "dst", fmt.Sprintf("the slice has %d elements, but the tensor has %d", d.n, n)))
	}
	r := BeginRaw(op, t)
	st := cgotorch.CopyOut(r.Ctx, h, d.ptr, n*d.dtype.Size())
	if r.again(st) {
		st = cgotorch.CopyOut(r.Ctx, h, d.ptr, n*d.dtype.Size())
	}
	runtime.KeepAlive(dst)
	r.Status(st)
	return int(n)
}

// CopyFrom overwrites the elements, in logical order, with those of src, a slice of the
// same element type and length, and returns t. It panics with ErrType for a different
// element type, with ErrShape for a different length, and with ErrAutograd for a leaf
// that requires gradients, outside NoGrad.
func (t *Tensor) CopyFrom(src any) *Tensor {
	const op = "CopyFrom(self)"
	h := t.handle(op, 0)
	s := sliceOf(op, src)
	if dt := t.DType(); s.dtype != dt {
		panic(argError(op, ErrType, "src",
			fmt.Sprintf("%T holds %v, but the tensor holds %v; convert one of them", src, s.dtype, dt)))
	}
	if n := t.Numel(); s.n != n {
		panic(argError(op, ErrShape, "src", fmt.Sprintf("the slice has %d elements, but the tensor has %d", s.n, n)))
	}
	r := BeginRaw(op, t)
	st := cgotorch.CopyIn(r.Ctx, h, s.ptr, s.bytes())
	if r.again(st) {
		st = cgotorch.CopyIn(r.Ctx, h, s.ptr, s.bytes())
	}
	runtime.KeepAlive(src)
	r.Status(st)
	return t
}

// mustFit panics with ErrOutOfMemory if a Go slice of n elements would exceed
// the machine's memory. An expanded tensor may have more elements than memory,
// and a failed Go allocation ends the process.
func mustFit(op string, n, size int64) {
	if n <= 1<<28 {
		return
	}
	_, total, err := sysmem.Machine()
	if err != nil {
		total = 1 << 47 // the size of the address space, an upper bound
	}
	if n > total/size {
		panic(argError(op, ErrOutOfMemory, "self",
			fmt.Sprintf("a Go slice of %d elements of %d bytes each does not fit in the machine's %d bytes of memory",
				n, size, total)))
	}
}

// elements copies a tensor to a slice of E, converting its dtype if necessary.
func elements[E any](t *Tensor, op string, dtype DType) []E {
	t.handle(op, 0)
	mustFit(op, t.Numel(), dtype.Size())
	src := t
	if t.DType() != dtype {
		NoGrad(func() { src = t.To(dtype) })
		defer func() { _ = src.Close() }()
	}
	h := src.handle(op, 0)
	out := make([]E, t.Numel())
	r := BeginRaw(op, src)
	ptr, size := unsafe.Pointer(unsafe.SliceData(out)), int64(len(out))*dtype.Size()
	st := cgotorch.CopyOut(r.Ctx, h, ptr, size)
	if r.again(st) {
		st = cgotorch.CopyOut(r.Ctx, h, ptr, size)
	}
	r.Status(st)
	return out
}

// Float32s returns a copy of the elements in logical order, converted to
// float32. It panics with ErrOutOfMemory if they do not fit in memory.
func (t *Tensor) Float32s() []float32 { return elements[float32](t, "Float32s(self)", Float32) }

// Float64s returns a copy of the elements in logical order, converted to
// float64. It panics as Float32s does.
func (t *Tensor) Float64s() []float64 { return elements[float64](t, "Float64s(self)", Float64) }

// Int64s returns a copy of the elements in logical order, converted to int64 by
// truncation. It panics as Float32s does.
func (t *Tensor) Int64s() []int64 { return elements[int64](t, "Int64s(self)", Int64) }

// Uint64s returns a copy of the elements in logical order, converted to uint64.
// It panics as Float32s does.
func (t *Tensor) Uint64s() []uint64 { return elements[uint64](t, "Uint64s(self)", Uint64) }

// Int32s returns a copy of the elements in logical order, converted to int32.
// It panics as Float32s does.
func (t *Tensor) Int32s() []int32 { return elements[int32](t, "Int32s(self)", Int32) }

// Uint8s returns a copy of the elements in logical order, converted to uint8.
// It panics as Float32s does.
func (t *Tensor) Uint8s() []uint8 { return elements[uint8](t, "Uint8s(self)", Uint8) }

// Bools returns a copy of the elements in logical order; nonzero numbers are
// true. It panics as Float32s does.
func (t *Tensor) Bools() []bool {
	raw := elements[uint8](t, "Bools(self)", Bool)
	for i, b := range raw { // files and ViewDType may give other bytes, but Go's bools must be 0 or 1
		if b > 1 {
			raw[i] = 1
		}
	}
	return unsafe.Slice((*bool)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw))
}

// Complex128s returns a copy of the elements in logical order, converted to
// complex128. It panics as Float32s does.
func (t *Tensor) Complex128s() []complex128 {
	return elements[complex128](t, "Complex128s(self)", Complex128)
}

func (t *Tensor) item(op string) abi.Scalar {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	v, st := cgotorch.Item(r.Ctx, h)
	r.Status(st)
	return v
}

// Item returns the value of a tensor with one element as a float64. It waits
// for the device. It panics with ErrShape if there is not exactly one element,
// and with ErrType for a complex value. Follows Tensor.item.
func (t *Tensor) Item() float64 {
	const op = "Item(self)"
	switch v := t.item(op); v.Kind {
	case abi.ScalarFloat:
		return v.D
	case abi.ScalarComplex:
		panic(argError(op, ErrType, "self", "the value is complex; use ItemComplex"))
	default:
		if t.isUint64(v) {
			return float64(uint64(v.I))
		}
		return float64(v.I)
	}
}

// isUint64 reports whether v holds the bits of a uint64 above the largest
// int64.
func (t *Tensor) isUint64(v abi.Scalar) bool {
	return v.Kind == abi.ScalarInt && v.I < 0 && t.DType() == Uint64
}

// ItemInt is [Tensor.Item] for integers and bools; it truncates a float. It
// panics as Item does, and with ErrValue for a uint64 that exceeds int64; use
// Uint64s for those.
func (t *Tensor) ItemInt() int64 {
	const op = "ItemInt(self)"
	switch v := t.item(op); v.Kind {
	case abi.ScalarFloat:
		return int64(v.D)
	case abi.ScalarComplex:
		panic(argError(op, ErrType, "self", "the value is complex; use ItemComplex"))
	default:
		if t.isUint64(v) {
			panic(argError(op, ErrValue, "self",
				fmt.Sprintf("%d does not fit in an int64; use Uint64s", uint64(v.I))))
		}
		return v.I
	}
}

// ItemBool is [Tensor.Item] for bools; a nonzero number is true. It panics as
// Item does, but accepts a complex value.
func (t *Tensor) ItemBool() bool {
	v := t.item("ItemBool(self)")
	return v.I != 0 || v.D != 0 || v.Im != 0
}

// ItemComplex is [Tensor.Item] for complex numbers. It panics as Item does, but
// accepts a complex value.
func (t *Tensor) ItemComplex() complex128 {
	v := t.item("ItemComplex(self)")
	if t.isUint64(v) {
		return complex(float64(uint64(v.I)), 0)
	}
	if v.Kind == abi.ScalarInt || v.Kind == abi.ScalarBool {
		return complex(float64(v.I), 0)
	}
	return complex(v.D, v.Im)
}
