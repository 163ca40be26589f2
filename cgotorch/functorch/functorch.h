// The layers of libtorch's functional transforms: vmap, and derivatives in forward and
// reverse mode. The stack of layers belongs to the calling thread, so a goroutine must
// stay on its thread from push to pop. See ../abi.h for the rules.
#ifndef GOTORCH_FUNCTORCH_H
#define GOTORCH_FUNCTORCH_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GT_FUNCTORCH_VMAP, GT_FUNCTORCH_GRAD, GT_FUNCTORCH_JVP };
enum { GT_FUNCTORCH_ERROR, GT_FUNCTORCH_SAME, GT_FUNCTORCH_DIFFERENT };

// Pushes a layer onto the thread's stack and writes its level. batch and randomness are
// for GT_FUNCTORCH_VMAP. Layers of kind GT_FUNCTORCH_JVP share libtorch's process-wide
// level of forward-mode derivatives, which stays open until the last of these layers
// ends. Fails inside a checkpoint and, except for vmap, in inference mode.
uintptr_t gt_functorch_push(gt_ctx ctx, int kind, int64_t batch, int randomness, int64_t* out_level);
// Pops the top layer, which must have the given level.
uintptr_t gt_functorch_pop(gt_ctx ctx, int64_t level);
// Returns the number of layers of the calling thread.
int64_t gt_functorch_depth(void);

// Returns t without dimension dim, over which the layer maps. The result keeps t alive.
gt_ret gt_functorch_batch(gt_ctx ctx, gt_tensor t, int64_t dim, int64_t level);
// Returns t's values for all examples of the layer, along dimension dim, as a view. A tensor that
// is the same for all examples is expanded.
gt_ret gt_functorch_unbatch(gt_ctx ctx, gt_tensor t, int64_t dim, int64_t level, int64_t batch);

// Returns t as a tensor of a layer that computes derivatives. If leaf is set, it is a leaf of the
// layer's graph.
gt_ret gt_functorch_wrap(gt_ctx ctx, gt_tensor t, int64_t level, int leaf);
// Returns the tensor that t wraps in the layer, 0 if the layer has ended, or t itself if
// t belongs to a different layer.
gt_ret gt_functorch_unwrap(gt_ctx ctx, gt_tensor t, int64_t level);

// Returns t with a tangent, inside a layer of GT_FUNCTORCH_JVP.
gt_ret gt_functorch_dual(gt_ctx ctx, gt_tensor t, gt_tensor tangent);
// Writes the value and the tangent of t, unwrapped from the layer with that level. The tangent is 0
// if t has none.
uintptr_t gt_functorch_undual(gt_ctx ctx, gt_tensor t, int64_t level, gt_tensor* out_value, gt_tensor* out_tangent);

#ifdef __cplusplus
}
#endif
#endif
