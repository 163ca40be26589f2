// Activation checkpointing: what operators save for the backward pass while a function of
// Go's runs is not kept, and is there again because the function runs once more when it is
// asked for. See ../abi.h for the rules.
#ifndef GOTORCH_CHECKPOINT_H
#define GOTORCH_CHECKPOINT_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Begins the first run, on the calling thread, of Go's function number id. The inputs are
// kept as an operator keeps what it saves. From here on whatever this thread saves for a
// backward pass belongs to the checkpoint, until gt_checkpoint_end, which the caller owes on
// the same thread if *out_frame is set. The id is released when nothing can ask any more,
// or at once on failure. It fails within a functional transform.
uintptr_t gt_checkpoint_begin(gt_ctx ctx, int64_t id, const gt_tensor* inputs, int64_t n, uintptr_t* out_frame);
// Ends the first run and gives the frame up; completed says that the function returned.
void gt_checkpoint_end(uintptr_t frame, int completed);

#ifdef __cplusplus
}
#endif
#endif
