// Activation checkpointing: the tensors that operators save for the backward pass during
// a Go function are not kept. When they are needed, the function runs again. See ../abi.h
// for the rules.
#ifndef GOTORCH_CHECKPOINT_H
#define GOTORCH_CHECKPOINT_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Begins the first run of the Go function with this id on the calling thread. The inputs
// are kept in the way that an operator keeps its saved tensors. Until gt_checkpoint_end,
// all tensors that this thread saves for a backward pass belong to the checkpoint. If
// *out_frame is set, the caller must call gt_checkpoint_end on the same thread. The id is
// released when no backward pass can need it, or immediately on failure. Fails inside a
// functional transform.
uintptr_t gt_checkpoint_begin(gt_ctx ctx, int64_t id, const gt_tensor* inputs, int64_t n, uintptr_t* out_frame);
// Ends the first run and frees the frame. completed says whether the function returned.
void gt_checkpoint_end(uintptr_t frame, int completed);

#ifdef __cplusplus
}
#endif
#endif
