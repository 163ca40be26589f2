// Stacks examples into batches. See abi.h for the rules.
#ifndef GOTORCH_STACK_H
#define GOTORCH_STACK_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Stacks columns of tensors in one call, each like at::stack along a new first dimension.
// ts contains the rows of the first column, then the rows of the next. No tensor may be
// zero. Writes a new reference for each column to out, or nothing on failure.
uintptr_t gt_stack_columns(gt_ctx ctx, const gt_tensor* ts, int64_t rows, int64_t columns, gt_tensor* out);

#ifdef __cplusplus
}
#endif
#endif
