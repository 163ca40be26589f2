// Package abi holds the plain types that cross the boundary to libtorch.
//
// It imports nothing and changes rarely, on purpose: the operator package depends on
// it, and all C++ is compiled anew when it changes.
package abi

// Tensor is an at::TensorImpl pointer as a number. Zero is the undefined
// tensor (Python's None). A function that returns a Tensor hands over one
// strong reference; a function that takes one borrows it for the call, unless
// its comment says otherwise.
//
// It is a uintptr rather than an unsafe.Pointer because it never points into
// Go memory: the collector need not look at it, and cgo need not check it.
type Tensor uintptr

// Generator is an at::GeneratorImpl pointer as a number; zero means the
// default generator of the device. Ownership follows the rules of Tensor.
type Generator uintptr

// Status is the outcome of a crossing: zero for success, otherwise a pointer
// to a gt_error that the caller owns and passes to cgotorch.TakeError once.
type Status uintptr

// Ctx carries the calling goroutine's libtorch state into a crossing. The C++
// side applies it to the thread it runs on if that thread is in another state,
// so goroutines may move between threads at will. The zero Ctx is a fresh
// PyTorch thread: gradients recorded, no inference mode, the thread count left
// as it is.
type Ctx uint64

// The fields of a Ctx, as abi.h defines them. What every operator may need has
// bits of its own. The last sixteen are for what few programs change: autocast,
// the current stream. They are the number of a row in a table of such modes, in
// which each combination that a program uses stands once; see
// docs/architecture.md.
const (
	CtxNoGrad    Ctx = 1 << 0 // gradients are not recorded
	CtxInference Ctx = 1 << 1 // inference mode

	CtxGeneratorShift = 2 // the slot of the goroutine's own default generator, 0 = none
	CtxGeneratorBits  = 5

	CtxThreadsShift = 8 // intra-op threads, 0 = leave alone
	CtxThreadsBits  = 16
	CtxStackShift   = 24 // the number of the calling stack, 0 = unknown
	CtxStackBits    = 24
	CtxModesShift   = 48 // rarer modes, 0 = none
	CtxModesBits    = 16
	CtxModes        = (Ctx(1)<<CtxModesBits - 1) << CtxModesShift
)

// Types of device. A device is its type << 8 | its number + 1, where the number
// -1 stands for none; -1 is "not given".
const (
	DeviceCPU  = 0
	DeviceCUDA = 1
	DeviceMeta = 14
)

// Element types, numbered as at::ScalarType; -1 is "not given".
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

// ScalarKind says which field of a Scalar counts.
type ScalarKind int64

// The kinds of Scalar. ScalarNone is an absent optional scalar.
const (
	ScalarNone ScalarKind = iota
	ScalarInt
	ScalarFloat
	ScalarBool
	ScalarComplex
)

// Scalar is a number on its way to libtorch, layout-compatible with gt_scalar.
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
