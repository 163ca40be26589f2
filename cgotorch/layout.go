package cgotorch

// #include "modes.h"
// #include "tensor.h"
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// These declarations compare Go's layouts and numbers with C's at compile time. Each
// index is the difference of two numbers. Only the index 0 compiles, so the two must be
// equal.
var zero [1]struct{}

// The fields of a Ctx.
var (
	_ = zero[abi.CtxNoGrad-C.GT_CTX_NO_GRAD]
	_ = zero[abi.CtxInference-C.GT_CTX_INFERENCE]
	_ = zero[abi.CtxGeneratorShift-C.GT_CTX_GENERATOR_SHIFT]
	_ = zero[abi.CtxGeneratorBits-C.GT_CTX_GENERATOR_BITS]
	_ = zero[abi.CtxThreadsShift-C.GT_CTX_THREADS_SHIFT]
	_ = zero[abi.CtxThreadsBits-C.GT_CTX_THREADS_BITS]
	_ = zero[abi.CtxStackShift-C.GT_CTX_STACK_SHIFT]
	_ = zero[abi.CtxStackBits-C.GT_CTX_STACK_BITS]
	_ = zero[abi.CtxModesShift-C.GT_CTX_MODES_SHIFT]
	_ = zero[abi.CtxModesBits-C.GT_CTX_MODES_BITS]
	_ = zero[unsafe.Sizeof(abi.Ctx(0))-C.sizeof_gt_ctx]
)

// These compare the fields of a row of modes.
var (
	_ = zero[ModesStreams-C.GT_MODES_STREAMS]
	_ = zero[unsafe.Sizeof(Modes{})-C.sizeof_gt_modes]
	_ = zero[unsafe.Offsetof(Modes{}.AutocastCPU)-unsafe.Offsetof(C.gt_modes{}.autocast_cpu)]
	_ = zero[unsafe.Offsetof(Modes{}.AutocastCUDA)-unsafe.Offsetof(C.gt_modes{}.autocast_cuda)]
	_ = zero[unsafe.Offsetof(Modes{}.DTypeCPU)-unsafe.Offsetof(C.gt_modes{}.dtype_cpu)]
	_ = zero[unsafe.Offsetof(Modes{}.DTypeCUDA)-unsafe.Offsetof(C.gt_modes{}.dtype_cuda)]
	_ = zero[unsafe.Offsetof(Modes{}.NoCache)-unsafe.Offsetof(C.gt_modes{}.no_cache)]
	_ = zero[unsafe.Offsetof(Modes{}.Device)-unsafe.Offsetof(C.gt_modes{}.device)]
	_ = zero[unsafe.Offsetof(Modes{}.StreamCount)-unsafe.Offsetof(C.gt_modes{}.n_streams)]
	_ = zero[unsafe.Offsetof(Modes{}.Pool)-unsafe.Offsetof(C.gt_modes{}.pool)]
	_ = zero[unsafe.Offsetof(Modes{}.Streams)-unsafe.Offsetof(C.gt_modes{}.streams)]
	_ = zero[unsafe.Sizeof(ModesStream{})-C.sizeof_gt_mode_stream]
	_ = zero[unsafe.Offsetof(ModesStream{}.Device)-unsafe.Offsetof(C.gt_mode_stream{}.device)]
)

// Handles and results.
var (
	_ = zero[unsafe.Sizeof(abi.Tensor(0))-C.sizeof_gt_tensor]
	_ = zero[unsafe.Sizeof(abi.Generator(0))-C.sizeof_gt_generator]
	_ = zero[unsafe.Sizeof(abi.Ret{})-C.sizeof_gt_ret]
	_ = zero[unsafe.Offsetof(abi.Ret{}.T)-unsafe.Offsetof(C.gt_ret{}.t)]
	_ = zero[unsafe.Offsetof(abi.Ret{}.Err)-unsafe.Offsetof(C.gt_ret{}.err)]
)

// Scalars.
var (
	_ = zero[abi.ScalarNone-C.GT_SCALAR_NONE]
	_ = zero[abi.ScalarInt-C.GT_SCALAR_INT]
	_ = zero[abi.ScalarFloat-C.GT_SCALAR_FLOAT]
	_ = zero[abi.ScalarBool-C.GT_SCALAR_BOOL]
	_ = zero[abi.ScalarComplex-C.GT_SCALAR_COMPLEX]
	_ = zero[unsafe.Sizeof(abi.Scalar{})-C.sizeof_gt_scalar]
	_ = zero[unsafe.Offsetof(abi.Scalar{}.Kind)-unsafe.Offsetof(C.gt_scalar{}.kind)]
	_ = zero[unsafe.Offsetof(abi.Scalar{}.I)-unsafe.Offsetof(C.gt_scalar{}.i)]
	_ = zero[unsafe.Offsetof(abi.Scalar{}.D)-unsafe.Offsetof(C.gt_scalar{}.d)]
	_ = zero[unsafe.Offsetof(abi.Scalar{}.Im)-unsafe.Offsetof(C.gt_scalar{}.im)]
)

// Indices.
var (
	_ = zero[unsafe.Sizeof(IndexItem{})-C.sizeof_gt_index_item]
	_ = zero[unsafe.Offsetof(IndexItem{}.Kind)-unsafe.Offsetof(C.gt_index_item{}.kind)]
	_ = zero[unsafe.Offsetof(IndexItem{}.Start)-unsafe.Offsetof(C.gt_index_item{}.start)]
	_ = zero[unsafe.Offsetof(IndexItem{}.Stop)-unsafe.Offsetof(C.gt_index_item{}.stop)]
	_ = zero[unsafe.Offsetof(IndexItem{}.Step)-unsafe.Offsetof(C.gt_index_item{}.step)]
	_ = zero[unsafe.Offsetof(IndexItem{}.Tensor)-unsafe.Offsetof(C.gt_index_item{}.tensor)]
)

// These compare the numbers of devices and element types.
var (
	_ = zero[abi.DeviceCPU-C.GT_DEVICE_CPU]
	_ = zero[abi.DeviceCUDA-C.GT_DEVICE_CUDA]
	_ = zero[abi.DeviceMeta-C.GT_DEVICE_META]

	_ = zero[abi.DTypeUint8-C.GT_DTYPE_UINT8]
	_ = zero[abi.DTypeInt8-C.GT_DTYPE_INT8]
	_ = zero[abi.DTypeInt16-C.GT_DTYPE_INT16]
	_ = zero[abi.DTypeInt32-C.GT_DTYPE_INT32]
	_ = zero[abi.DTypeInt64-C.GT_DTYPE_INT64]
	_ = zero[abi.DTypeFloat16-C.GT_DTYPE_FLOAT16]
	_ = zero[abi.DTypeFloat32-C.GT_DTYPE_FLOAT32]
	_ = zero[abi.DTypeFloat64-C.GT_DTYPE_FLOAT64]
	_ = zero[abi.DTypeComplex32-C.GT_DTYPE_COMPLEX32]
	_ = zero[abi.DTypeComplex64-C.GT_DTYPE_COMPLEX64]
	_ = zero[abi.DTypeComplex128-C.GT_DTYPE_COMPLEX128]
	_ = zero[abi.DTypeBool-C.GT_DTYPE_BOOL]
	_ = zero[abi.DTypeQInt8-C.GT_DTYPE_QINT8]
	_ = zero[abi.DTypeQUint8-C.GT_DTYPE_QUINT8]
	_ = zero[abi.DTypeQInt32-C.GT_DTYPE_QINT32]
	_ = zero[abi.DTypeBFloat16-C.GT_DTYPE_BFLOAT16]
	_ = zero[abi.DTypeQUint4x2-C.GT_DTYPE_QUINT4X2]
	_ = zero[abi.DTypeQUint2x4-C.GT_DTYPE_QUINT2X4]
	_ = zero[abi.DTypeBits1x8-C.GT_DTYPE_BITS1X8]
	_ = zero[abi.DTypeBits2x4-C.GT_DTYPE_BITS2X4]
	_ = zero[abi.DTypeBits4x2-C.GT_DTYPE_BITS4X2]
	_ = zero[abi.DTypeBits8-C.GT_DTYPE_BITS8]
	_ = zero[abi.DTypeBits16-C.GT_DTYPE_BITS16]
	_ = zero[abi.DTypeFloat8E5M2-C.GT_DTYPE_FLOAT8_E5M2]
	_ = zero[abi.DTypeFloat8E4M3FN-C.GT_DTYPE_FLOAT8_E4M3FN]
	_ = zero[abi.DTypeFloat8E5M2FNUZ-C.GT_DTYPE_FLOAT8_E5M2FNUZ]
	_ = zero[abi.DTypeFloat8E4M3FNUZ-C.GT_DTYPE_FLOAT8_E4M3FNUZ]
	_ = zero[abi.DTypeUint16-C.GT_DTYPE_UINT16]
	_ = zero[abi.DTypeUint32-C.GT_DTYPE_UINT32]
	_ = zero[abi.DTypeUint64-C.GT_DTYPE_UINT64]
)
