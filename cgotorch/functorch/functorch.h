// The layers of libtorch's functional transforms: vmap, and derivatives of both modes. The
// stack of layers is the calling thread's, so a goroutine stays on its thread from push to
// pop. See ../abi.h for the rules.
#ifndef GOTORCH_FUNCTORCH_H
#define GOTORCH_FUNCTORCH_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GT_FUNCTORCH_VMAP, GT_FUNCTORCH_GRAD, GT_FUNCTORCH_JVP };
enum { GT_FUNCTORCH_ERROR, GT_FUNCTORCH_SAME, GT_FUNCTORCH_DIFFERENT };

// Puts a layer on top of the thread's stack and writes its level. batch and randomness are
// for GT_FUNCTORCH_VMAP. A layer of GT_FUNCTORCH_JVP keeps libtorch's one level of
// forward-mode derivatives open, which is the process's: it is shared, and ends with the
// last of them. It fails within a checkpoint and, but for vmap, in inference mode.
uintptr_t gt_functorch_push(gt_ctx ctx, int kind, int64_t batch, int randomness, int64_t* out_level);
// Takes the top layer off, which has to be that of level.
uintptr_t gt_functorch_pop(gt_ctx ctx, int64_t level);
// How many layers the calling thread has.
int64_t gt_functorch_depth(void);

// t without dimension dim, which the layer of level goes over. It keeps t alive.
gt_ret gt_functorch_batch(gt_ctx ctx, gt_tensor t, int64_t dim, int64_t level);
// The values of t for all examples of the layer, as dimension dim: a view. What does not
// depend on the example is expanded.
gt_ret gt_functorch_unbatch(gt_ctx ctx, gt_tensor t, int64_t dim, int64_t level, int64_t batch);

// t as a tensor of a layer of derivatives, of whose gradient it is a leaf if leaf is set.
gt_ret gt_functorch_wrap(gt_ctx ctx, gt_tensor t, int64_t level, int leaf);
// What t is below that layer, 0 for one that has ended; t itself if it comes from elsewhere.
gt_ret gt_functorch_unwrap(gt_ctx ctx, gt_tensor t, int64_t level);

// t with a tangent, within a layer of GT_FUNCTORCH_JVP.
gt_ret gt_functorch_dual(gt_ctx ctx, gt_tensor t, gt_tensor tangent);
// The value and the tangent of t below the layer of level. The tangent is 0 if t has none.
uintptr_t gt_functorch_undual(gt_ctx ctx, gt_tensor t, int64_t level, gt_tensor* out_value, gt_tensor* out_tangent);

#ifdef __cplusplus
}
#endif
#endif
