package cgotorch

// #include "switches.h"
import "C"

import "github.com/gotorch/gotorch/cgotorch/abi"

// A Switch is a process-wide setting of a library that libtorch uses. switches.h
// describes the values of each switch.
type Switch int

// The switches. HasMKLDNN and the switches after it are read-only.
const (
	CuBLASTF32             Switch = C.GT_SWITCH_CUBLAS_TF32
	CuBLASFP16Reduction    Switch = C.GT_SWITCH_CUBLAS_FP16_REDUCTION
	CuBLASBF16Reduction    Switch = C.GT_SWITCH_CUBLAS_BF16_REDUCTION
	CuBLASFP16Accumulation Switch = C.GT_SWITCH_CUBLAS_FP16_ACCUMULATION
	CuDNNEnabled           Switch = C.GT_SWITCH_CUDNN_ENABLED
	CuDNNBenchmark         Switch = C.GT_SWITCH_CUDNN_BENCHMARK
	CuDNNBenchmarkLimit    Switch = C.GT_SWITCH_CUDNN_BENCHMARK_LIMIT
	CuDNNDeterministic     Switch = C.GT_SWITCH_CUDNN_DETERMINISTIC
	CuDNNTF32              Switch = C.GT_SWITCH_CUDNN_TF32
	MKLDNNEnabled          Switch = C.GT_SWITCH_MKLDNN_ENABLED
	MKLDNNDeterministic    Switch = C.GT_SWITCH_MKLDNN_DETERMINISTIC
	FlashSDP               Switch = C.GT_SWITCH_SDP_FLASH
	MemEfficientSDP        Switch = C.GT_SWITCH_SDP_MEM_EFFICIENT
	MathSDP                Switch = C.GT_SWITCH_SDP_MATH
	CuDNNSDP               Switch = C.GT_SWITCH_SDP_CUDNN
	MathSDPReduction       Switch = C.GT_SWITCH_SDP_MATH_REDUCTION
	SDPPriority            Switch = C.GT_SWITCH_SDP_PRIORITY
	LinalgLibrary          Switch = C.GT_SWITCH_LINALG
	BLASLibrary            Switch = C.GT_SWITCH_BLAS
	HasMKLDNN              Switch = C.GT_SWITCH_HAS_MKLDNN
	HasMKL                 Switch = C.GT_SWITCH_HAS_MKL
	HasOpenMP              Switch = C.GT_SWITCH_HAS_OPENMP
	HasCuDNN               Switch = C.GT_SWITCH_HAS_CUDNN
	CuDNNVersion           Switch = C.GT_SWITCH_CUDNN_VERSION
)

// GetSwitch returns the value of a switch.
func GetSwitch(s Switch) (int64, abi.Status) {
	var v C.int64_t
	st := C.gt_switch_get(C.int(s), &v)
	return int64(v), abi.Status(st)
}

// SetSwitch sets a switch for the whole process.
func SetSwitch(s Switch, value int64) abi.Status {
	return abi.Status(C.gt_switch_set(C.int(s), C.int64_t(value)))
}

// FP32Precision returns the float32 precision of a library for an operator family. The
// arguments and the result are numbers defined in switches.h.
func FP32Precision(backend, op int) (int, abi.Status) {
	var p C.int
	st := C.gt_fp32_precision_get(C.int(backend), C.int(op), &p)
	return int(p), abi.Status(st)
}

// SetFP32Precision sets the precision that FP32Precision returns, for the whole process.
func SetFP32Precision(backend, op, precision int) abi.Status {
	return abi.Status(C.gt_fp32_precision_set(C.int(backend), C.int(op), C.int(precision)))
}
