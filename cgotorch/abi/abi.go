// Package abi defines the plain types that cross the boundary to libtorch.
//
// It imports nothing and should change rarely: the operator package depends on it, and a
// change recompiles all C++ code.
package abi

// Tensor is an at::TensorImpl pointer as a number. Zero is the undefined tensor (Python's
// None). Unless its comment says otherwise, a function that returns a Tensor passes one
// strong reference to the caller, and a function that takes a Tensor borrows it for the
// call.
//
// It is a uintptr and not an unsafe.Pointer because it never points to Go memory, so
// neither the collector nor cgo has to check it.
type Tensor uintptr

// Generator is an at::GeneratorImpl pointer as a number. Zero means the default generator
// of the device. It has the same ownership rules as Tensor.
type Generator uintptr

// Status is the result of a call: zero for success, otherwise a pointer to a gt_error
// that the caller owns and passes to cgotorch.TakeError once.
type Status uintptr

// Ctx carries the calling goroutine's libtorch state into a call. The C++ side applies it
// if its thread is in a different state, so goroutines may move between threads. The zero
// Ctx is the state of a new PyTorch thread: gradients are recorded, inference mode is
// off, and the thread count is not changed.
type Ctx uint64

// The fields of a Ctx, as defined in abi.h. State that every operator may need has its
// own bits. State that few programs change, such as autocast and the current stream, is
// in a table of all combinations that the program uses. The last sixteen bits are a row
// number in that table; see docs/architecture.md.
const (
	CtxNoGrad    Ctx = 1 << 0 // gradients are not recorded
	CtxInference Ctx = 1 << 1 // inference mode

	CtxGeneratorShift = 2 // slot of the goroutine's own default generator; 0 = it has none
	CtxGeneratorBits  = 5

	CtxThreadsShift = 8 // intra-op threads, 0 = do not change
	CtxThreadsBits  = 16
	CtxStackShift   = 24 // number of the stack that called the operator, 0 = unknown
	CtxStackBits    = 24
	CtxModesShift   = 48 // row in the table of less common modes, 0 = none of them is set
	CtxModesBits    = 16
	CtxModes        = (Ctx(1)<<CtxModesBits - 1) << CtxModesShift
)

// Device types. A device is its type << 8 | its index + 1. The index -1 means the current
// device. A device of -1 means "not given".
const (
	DeviceCPU  = 0
	DeviceCUDA = 1
	DeviceMeta = 14
)

// Element types, with the numbers of at::ScalarType; -1 means "not given".
const (
	DTypeUint8 = iota
	DTypeInt8
	DTypeInt16
	DTypeInt32
	DTypeInt64
	DTypeFloat16
	DTypeFloat32
	DTypeFloat64
	DTypeComplex32
	DTypeComplex64
	DTypeComplex128
	DTypeBool
	DTypeQInt8
	DTypeQUint8
	DTypeQInt32
	DTypeBFloat16
	DTypeQUint4x2
	DTypeQUint2x4
	DTypeBits1x8
	DTypeBits2x4
	DTypeBits4x2
	DTypeBits8
	DTypeBits16
	DTypeFloat8E5M2
	DTypeFloat8E4M3FN
	DTypeFloat8E5M2FNUZ
	DTypeFloat8E4M3FNUZ
	DTypeUint16
	DTypeUint32
	DTypeUint64
)

// ScalarKind selects the field of a Scalar that is used.
type ScalarKind int64

// The kinds of Scalar. ScalarNone is an absent optional scalar.
const (
	ScalarNone ScalarKind = iota
	ScalarInt
	ScalarFloat
	ScalarBool
	ScalarComplex
)

// Scalar is a number passed to libtorch, with the layout of gt_scalar.
type Scalar struct {
	Kind ScalarKind
	I    int64
	D    float64 // the value, or the real part
	Im   float64 // the imaginary part
}

// Ret is the result of an operator that returns one tensor.
type Ret struct {
	T   Tensor
	Err Status
}
