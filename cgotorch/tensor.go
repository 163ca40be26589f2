package cgotorch

// #include "tensor.h"
//
// #cgo noescape gt_free
// #cgo nocallback gt_free
// #cgo noescape gt_free_n
// #cgo nocallback gt_free_n
// #cgo noescape gt_ref
// #cgo nocallback gt_ref
// #cgo noescape gt_tensor_info
// #cgo nocallback gt_tensor_info
// #cgo noescape gt_tensor_sizes
// #cgo nocallback gt_tensor_sizes
// #cgo noescape gt_tensor_strides
// #cgo nocallback gt_tensor_strides
// #cgo noescape gt_tensor_numel
// #cgo nocallback gt_tensor_numel
// #cgo noescape gt_tensor_dim
// #cgo nocallback gt_tensor_dim
// #cgo noescape gt_tensor_dtype
// #cgo nocallback gt_tensor_dtype
// #cgo noescape gt_tensor_storage
// #cgo nocallback gt_tensor_storage
// #cgo noescape gt_from_data
// #cgo nocallback gt_from_data
// #cgo noescape gt_from_shared
// #cgo nocallback gt_from_shared
// #cgo noescape gt_take_released
// #cgo nocallback gt_take_released
// #cgo noescape gt_tensor_copy_out
// #cgo nocallback gt_tensor_copy_out
// #cgo noescape gt_tensor_copy_in
// #cgo nocallback gt_tensor_copy_in
// #cgo noescape gt_tensor_item
// #cgo nocallback gt_tensor_item
// #cgo noescape gt_tensor_index
// #cgo nocallback gt_tensor_index
// #cgo noescape gt_tensor_index_put
// #cgo nocallback gt_tensor_index_put
// #cgo noescape gt_tensor_index_put_scalar
// #cgo nocallback gt_tensor_index_put_scalar
import "C"

import (
	"sync/atomic"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Free drops one reference to t.
func Free(t abi.Tensor) { C.gt_free(C.gt_tensor(t)) }

// FreeMany drops one reference to each of ts.
func FreeMany(ts []abi.Tensor) {
	if len(ts) > 0 {
		C.gt_free_n(ptr[C.gt_tensor](ts), C.int64_t(len(ts)))
	}
}

// Ref returns a new reference to t.
func Ref(t abi.Tensor) abi.Tensor { return abi.Tensor(C.gt_ref(C.gt_tensor(t))) }

// Info is a tensor's metadata, with the layout of gt_info in tensor.h.
type Info struct {
	Dim, Numel, StorageOffset int64
	Device                    int32
	DType, Layout             int8
	RequiresGrad, IsLeaf      bool
	HasGradFn, IsContiguous   bool
	IsInference, IsNested     bool
}

// TensorInfo returns the metadata of t, with a single call of C.
func TensorInfo(t abi.Tensor) Info {
	var i C.gt_info
	C.gt_tensor_info(C.gt_tensor(t), &i)
	return Info{
		Dim: int64(i.dim), Numel: int64(i.numel), StorageOffset: int64(i.storage_offset),
		Device: int32(i.device), DType: int8(i.dtype), Layout: int8(i.layout),
		RequiresGrad: i.requires_grad != 0, IsLeaf: i.is_leaf != 0,
		HasGradFn: i.has_grad_fn != 0, IsContiguous: i.is_contiguous != 0,
		IsInference: i.is_inference != 0, IsNested: i.is_nested != 0,
	}
}

// inlineDims is the largest number of dimensions that Sizes and Strides read with one
// call.
const inlineDims = 8

// Sizes returns the shape.
func Sizes(t abi.Tensor) []int64 {
	var buf [inlineDims]int64
	n := int(C.gt_tensor_sizes(C.gt_tensor(t), (*C.int64_t)(&buf[0]), inlineDims))
	out := make([]int64, n)
	if n > inlineDims {
		C.gt_tensor_sizes(C.gt_tensor(t), (*C.int64_t)(&out[0]), C.int64_t(n))
		return out
	}
	copy(out, buf[:n])
	return out
}

// Strides returns the strides of t, in elements.
func Strides(t abi.Tensor) ([]int64, abi.Status) {
	var err C.uintptr_t
	var buf [inlineDims]int64
	n := int(C.gt_tensor_strides(C.gt_tensor(t), (*C.int64_t)(&buf[0]), inlineDims, &err))
	out := make([]int64, n)
	if n > inlineDims {
		C.gt_tensor_strides(C.gt_tensor(t), (*C.int64_t)(&out[0]), C.int64_t(n), &err)
		return out, abi.Status(err)
	}
	copy(out, buf[:n])
	return out, abi.Status(err)
}

// Numel returns the number of elements of t.
func Numel(t abi.Tensor) int64 { return int64(C.gt_tensor_numel(C.gt_tensor(t))) }

// Dim returns the number of dimensions of t.
func Dim(t abi.Tensor) int64 { return int64(C.gt_tensor_dim(C.gt_tensor(t))) }

// DType returns the dtype of t, as an at::ScalarType.
func DType(t abi.Tensor) int8 { return int8(C.gt_tensor_dtype(C.gt_tensor(t))) }

// StorageInfo describes the memory of a tensor.
type StorageInfo struct {
	Data    uintptr // address of the first element, 0 if there is none
	Storage uintptr // address that identifies the storage, 0 if there is none
	Bytes   int64   // size of the storage
	Uses    int64   // number of references to the tensor itself
}

// Storage describes the memory of a tensor.
func Storage(t abi.Tensor) (StorageInfo, abi.Status) {
	r := C.gt_tensor_storage(C.gt_tensor(t))
	return StorageInfo{
		Data: uintptr(r.data), Storage: uintptr(r.storage),
		Bytes: int64(r.storage_bytes), Uses: int64(r.uses),
	}, abi.Status(r.err)
}

// FromData copies nbytes bytes at data into a new tensor.
func FromData(cx abi.Ctx, data unsafe.Pointer, nbytes int64, shape []int64, dtype int8, device int32) abi.Ret {
	return ret(C.gt_from_data(C.gt_ctx(cx), (*C.uint8_t)(data), C.int64_t(nbytes), ptr[C.int64_t](shape),
		C.int64_t(len(shape)), C.int8_t(dtype), C.int32_t(device)))
}

// FromShared creates a tensor that uses the memory at data. The memory must stay valid
// until TakeReleased returns id.
func FromShared(cx abi.Ctx, data uintptr, shape []int64, dtype int8, id int64) abi.Ret {
	return ret(C.gt_from_shared(C.gt_ctx(cx), C.uintptr_t(data), ptr[C.int64_t](shape),
		C.int64_t(len(shape)), C.int8_t(dtype), C.int64_t(id)))
}

var releasedCount = (*int64)(unsafe.Pointer(C.gt_released_count()))

// HasReleased reports whether TakeReleased has any numbers to return.
func HasReleased() bool { return atomic.LoadInt64(releasedCount) != 0 }

// TakeReleased fills ids with the numbers of Go objects that C++ has released, and
// returns how many it wrote. It calls C++ only if there are any.
func TakeReleased(ids []int64) int {
	if len(ids) == 0 || !HasReleased() {
		return 0
	}
	return int(C.gt_take_released(ptr[C.int64_t](ids), C.int64_t(len(ids))))
}

// CopyOut copies the elements of t to dst, in logical order.
func CopyOut(cx abi.Ctx, t abi.Tensor, dst unsafe.Pointer, nbytes int64) abi.Status {
	return abi.Status(C.gt_tensor_copy_out(C.gt_ctx(cx), C.gt_tensor(t), (*C.uint8_t)(dst), C.int64_t(nbytes)))
}

// CopyIn copies nbytes bytes at src to the elements of t, in logical order.
func CopyIn(cx abi.Ctx, t abi.Tensor, src unsafe.Pointer, nbytes int64) abi.Status {
	return abi.Status(C.gt_tensor_copy_in(C.gt_ctx(cx), C.gt_tensor(t), (*C.uint8_t)(src), C.int64_t(nbytes)))
}

// Item returns the value of t, which must have one element.
func Item(cx abi.Ctx, t abi.Tensor) (abi.Scalar, abi.Status) {
	r := C.gt_tensor_item(C.gt_ctx(cx), C.gt_tensor(t))
	return abi.Scalar{
		Kind: abi.ScalarKind(r.v.kind), I: int64(r.v.i), D: float64(r.v.d), Im: float64(r.v.im),
	}, abi.Status(r.err)
}

// The kinds of IndexItem.
const (
	IndexInt      = C.GT_INDEX_INT
	IndexSlice    = C.GT_INDEX_SLICE
	IndexEllipsis = C.GT_INDEX_ELLIPSIS
	IndexNone     = C.GT_INDEX_NONE
	IndexBool     = C.GT_INDEX_BOOL
	IndexTensor   = C.GT_INDEX_TENSOR
)

// IndexItem is one entry between the brackets of an indexing expression, with the layout
// of gt_index_item.
type IndexItem struct {
	Kind              int64
	Start, Stop, Step int64
	Tensor            abi.Tensor
}

// Index computes t[items...].
func Index(cx abi.Ctx, t abi.Tensor, items []IndexItem) abi.Ret {
	return ret(C.gt_tensor_index(C.gt_ctx(cx), C.gt_tensor(t), ptr[C.gt_index_item](items), C.int64_t(len(items))))
}

// IndexPut performs t[items...] = value.
func IndexPut(cx abi.Ctx, t abi.Tensor, items []IndexItem, value abi.Tensor) abi.Status {
	return abi.Status(C.gt_tensor_index_put(C.gt_ctx(cx), C.gt_tensor(t), ptr[C.gt_index_item](items),
		C.int64_t(len(items)), C.gt_tensor(value)))
}

// IndexPutScalar performs t[items...] = value, where value is a number.
func IndexPutScalar(cx abi.Ctx, t abi.Tensor, items []IndexItem, value abi.Scalar) abi.Status {
	return abi.Status(C.gt_tensor_index_put_scalar(C.gt_ctx(cx), C.gt_tensor(t), ptr[C.gt_index_item](items),
		C.int64_t(len(items)), cscalar(value)))
}

// ptr returns the address of a slice's first element as a pointer to a C type with the
// same layout, or nil for an empty slice.
func ptr[C, Go any](s []Go) *C { return (*C)(unsafe.Pointer(unsafe.SliceData(s))) }

func ret(r C.gt_ret) abi.Ret { return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)} }

func cscalar(s abi.Scalar) C.gt_scalar {
	return C.gt_scalar{kind: C.int64_t(s.Kind), i: C.int64_t(s.I), d: C.double(s.D), im: C.double(s.Im)}
}
