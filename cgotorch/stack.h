// Batches out of examples. See abi.h for the rules.
#ifndef GOTORCH_STACK_H
#define GOTORCH_STACK_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Stacks columns of tensors along a new first dimension, as at::stack does each. ts are
// the rows of the first column, then those of the next one; none is zero, and all are
// borrowed. Writes a new reference for each column to out, or none if one fails.
uintptr_t gt_stack_columns(gt_ctx ctx, const gt_tensor* ts, int64_t rows, int64_t columns, gt_tensor* out);

#ifdef __cplusplus
}
#endif
#endif
