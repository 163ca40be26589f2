package cgotorch

// #include "runtime.h"
import "C"

import "github.com/gotorch/gotorch/cgotorch/abi"

// UseDeterministic turns deterministic algorithms on or off for the whole process. If
// warnOnly is set, an operator without a deterministic algorithm only warns.
func UseDeterministic(on, warnOnly bool) abi.Status {
	return abi.Status(C.gt_use_deterministic(C.bool(on), C.bool(warnOnly)))
}

// Deterministic reports whether deterministic algorithms are on, and whether an operator
// without a deterministic algorithm only warns.
func Deterministic() (on, warnOnly bool) {
	return bool(C.gt_deterministic()), bool(C.gt_deterministic_warn_only())
}

// SetFloat32MatmulPrecision sets the precision of float32 matrix products for the whole
// process: 0 is highest, 1 is high, 2 is medium.
func SetFloat32MatmulPrecision(level int) abi.Status {
	return abi.Status(C.gt_set_float32_matmul_precision(C.int(level)))
}

// Float32MatmulPrecision returns the precision of float32 matrix products.
func Float32MatmulPrecision() int { return int(C.gt_float32_matmul_precision()) }
