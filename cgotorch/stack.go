package cgotorch

// #include "stack.h"
//
// #cgo noescape gt_stack_columns
// #cgo nocallback gt_stack_columns
import "C"

import "github.com/gotorch/gotorch/cgotorch/abi"

// StackColumns stacks columns of tensors along a new first dimension, in one call. ts contains the
// rows of the first column, then those of the next one, with len(ts)/len(out) rows each. No tensor
// may be zero, and all are borrowed. StackColumns writes a new reference for each column to out, or
// nothing if it fails.
func StackColumns(cx abi.Ctx, ts, out []abi.Tensor) abi.Status {
	return abi.Status(C.gt_stack_columns(C.gt_ctx(cx), ptr[C.gt_tensor](ts), C.int64_t(len(ts)/max(len(out), 1)),
		C.int64_t(len(out)), ptr[C.gt_tensor](out)))
}
