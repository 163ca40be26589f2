package cgotorch

// #include "runtime.h"
import "C"

import "github.com/gotorch/gotorch/cgotorch/abi"

// UseDeterministic selects deterministic algorithms, for the process.
func UseDeterministic(on, warnOnly bool) abi.Status {
	return abi.Status(C.gt_use_deterministic(C.bool(on), C.bool(warnOnly)))
}

// Deterministic reports whether deterministic algorithms are selected, and whether an
// operator without one only warns.
func Deterministic() (on, warnOnly bool) {
	return bool(C.gt_deterministic()), bool(C.gt_deterministic_warn_only())
}

// SetFloat32MatmulPrecision sets the precision of float32 matrix products, for the
// process: 0 highest, 1 high, 2 medium.
func SetFloat32MatmulPrecision(level int) abi.Status {
	return abi.Status(C.gt_set_float32_matmul_precision(C.int(level)))
}

// Float32MatmulPrecision returns the precision of float32 matrix products.
func Float32MatmulPrecision() int { return int(C.gt_float32_matmul_precision()) }
