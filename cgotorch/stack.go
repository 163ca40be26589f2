package cgotorch

// #include "stack.h"
//
// #cgo noescape gt_stack_columns
// #cgo nocallback gt_stack_columns
import "C"

import "github.com/gotorch/gotorch/cgotorch/abi"

// StackColumns stacks columns of tensors in one call. The result for a column has its
// rows along a new first dimension. ts contains the rows of the first column, then the
// rows of the next; each column has len(ts)/len(out) rows. All tensors are borrowed, and
// none may be zero. StackColumns writes one new reference per column to out, or nothing
// if it fails.
func StackColumns(cx abi.Ctx, ts, out []abi.Tensor) abi.Status {
	return abi.Status(C.gt_stack_columns(C.gt_ctx(cx), ptr[C.gt_tensor](ts), C.int64_t(len(ts)/max(len(out), 1)),
		C.int64_t(len(out)), ptr[C.gt_tensor](out)))
}
