// Gradients, hooks and custom functions. See abi.h for the rules.
#ifndef GOTORCH_AUTOGRAD_H
#define GOTORCH_AUTOGRAD_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Differentiates the n outputs. grads is null or contains n tensors; zero means a
// gradient of one. With n_inputs > 0, gradients accumulate only in those leaves. May call
// Go hooks and custom functions, on this thread or on one of libtorch's threads.
uintptr_t gt_backward(gt_ctx ctx, const gt_tensor* outputs, const gt_tensor* grads, int64_t n,
                      const gt_tensor* inputs, int64_t n_inputs, int retain_graph,
                      int create_graph);
// Writes the gradients of the outputs with respect to each input to out_grads, which has
// n_inputs entries. If allow_unused is set, the gradients of unused inputs are zero. May
// call Go.
uintptr_t gt_grad(gt_ctx ctx, const gt_tensor* outputs, const gt_tensor* grads, int64_t n,
                  const gt_tensor* inputs, int64_t n_inputs, int retain_graph, int create_graph,
                  int allow_unused, gt_tensor* out_grads);

uintptr_t gt_tensor_set_requires_grad(gt_ctx ctx, gt_tensor t, int on);
// Returns a new reference to the accumulated gradient, or zero.
gt_ret gt_tensor_get_grad(gt_ctx ctx, gt_tensor t);
uintptr_t gt_tensor_set_grad(gt_ctx ctx, gt_tensor t, gt_tensor grad);
// Removes the gradient of each tensor, or fills it with zeros, in one call.
uintptr_t gt_zero_grads(gt_ctx ctx, const gt_tensor* ts, int64_t n, int set_to_none);
uintptr_t gt_tensor_retain_grad(gt_ctx ctx, gt_tensor t);
int gt_tensor_retains_grad(gt_tensor t);
// Replaces the data of t, keeping its identity, gradient and graph position.
uintptr_t gt_tensor_set_data(gt_ctx ctx, gt_tensor t, gt_tensor data);
int64_t gt_tensor_version(gt_tensor t, uintptr_t* err);
// Returns the name of the node that created t, to be freed by the caller, or null.
char* gt_tensor_grad_fn_name(gt_tensor t);

// Calls Go's hook number id with each gradient of t. Writes the position that gt_tensor_remove_hook
// takes. The id is released when the hook is destroyed.
uintptr_t gt_tensor_register_hook(gt_ctx ctx, gt_tensor t, int64_t id, int64_t* out_pos);
uintptr_t gt_tensor_remove_hook(gt_ctx ctx, gt_tensor t, int64_t pos);
// Like gt_tensor_register_hook, for a hook that runs after a leaf's gradient was accumulated. The
// hook gets t itself, and its result is ignored.
uintptr_t gt_tensor_register_accumulated_hook(gt_ctx ctx, gt_tensor t, int64_t id, int64_t* out_pos);
uintptr_t gt_tensor_remove_accumulated_hook(gt_ctx ctx, gt_tensor t, int64_t pos);

// Returns the dtype that the gradients of a leaf must have, or -1 if any is allowed.
int8_t gt_tensor_grad_dtype(gt_tensor t, uintptr_t* err);
uintptr_t gt_tensor_set_grad_dtype(gt_ctx ctx, gt_tensor t, int8_t dtype);

void gt_set_anomaly(int enabled, int check_nan);
int gt_anomaly(void);
int gt_anomaly_checks_nan(void);

// Adds a node that calls Go's function number id between inputs and outputs. outputs are
// the results of the forward function, computed without recording. The results that
// belong to the graph are written to out (n_out entries). saved tensors are kept as
// PyTorch's save_for_backward keeps them. nondiff and dirty mark tensors by identity. The id is
// released when the node is destroyed, or immediately if no gradient can flow.
uintptr_t gt_function_apply(gt_ctx ctx, int64_t id, const char* name, const gt_tensor* inputs,
                            int64_t n_in, const gt_tensor* outputs, int64_t n_out,
                            const gt_tensor* saved, int64_t n_saved, const gt_tensor* nondiff,
                            int64_t n_nondiff, const gt_tensor* dirty, int64_t n_dirty,
                            int materialize, gt_tensor* out);
// Returns saved tensor i as a new reference. Call only within a backward callback.
gt_ret gt_function_saved(gt_ctx ctx, uintptr_t node, int64_t i);

#ifdef __cplusplus
}
#endif
#endif
