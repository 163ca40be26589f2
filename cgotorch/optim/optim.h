// Optimizer steps over a whole parameter group, and gradient clipping: one
// crossing each, however many parameters there are. See abi.h for the rules.
#ifndef GOTORCH_OPTIM_H
#define GOTORCH_OPTIM_H

#include "../abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// A parameter group with its state: it holds a reference to each parameter and
// to the state tensors, which it makes when a parameter first has a gradient.
// One thread at a time may use a group.
typedef uintptr_t gt_group;

typedef struct {
  gt_group g;
  uintptr_t err;
} gt_group_ret;

gt_group_ret gt_group_new(const gt_tensor* params, int64_t n);
void gt_group_free(gt_group g);

typedef struct {
  double lr, beta1, beta2, eps, weight_decay;
  int32_t decoupled;  // AdamW's weight decay rather than Adam's
  int32_t amsgrad;
  int32_t maximize;
} gt_adam;

typedef struct {
  double lr, momentum, dampening, weight_decay;
  int32_t nesterov;
  int32_t maximize;
} gt_sgd;

// One step for every parameter that has a gradient. grad_scale and found_inf
// are zero, or the one-element tensors of a gradient scaler: gradients are
// divided by the first, and the step is skipped where the second is 1. On an
// error nothing of the group has changed, unless a device reports it late.
uintptr_t gt_group_adam(gt_ctx ctx, gt_group g, const gt_adam* o, gt_tensor grad_scale,
                        gt_tensor found_inf);
uintptr_t gt_group_sgd(gt_ctx ctx, gt_group g, const gt_sgd* o, gt_tensor grad_scale,
                       gt_tensor found_inf);

// Drops every gradient of the group, or fills it with zeros.
uintptr_t gt_group_zero_grad(gt_ctx ctx, gt_group g, int set_to_none);

// The state tensors of one parameter. GT_STATE_STEP is handed out as a copy,
// since parameters share it, the others as new references to the state itself.
enum { GT_STATE_STEP, GT_STATE_AVG, GT_STATE_SQUARE, GT_STATE_MAX_SQUARE, GT_STATE_MOMENTUM, GT_STATE_COUNT };

// Zero if the parameter has no such state.
gt_ret gt_group_state(gt_ctx ctx, gt_group g, int64_t param, int which);
// Replaces the state with a copy of t, in the parameter's dtype and on its
// device; zero removes it.
uintptr_t gt_group_set_state(gt_ctx ctx, gt_group g, int64_t param, int which, gt_tensor t);

// Scales the gradients of params so that the norm of all of them together is
// at most max_norm, and returns what it was. With error_if_nonfinite a norm
// that is not finite is an error.
gt_ret gt_clip_grad_norm(gt_ctx ctx, const gt_tensor* params, int64_t n, double max_norm,
                         double norm_type, int error_if_nonfinite);
// The norm alone.
gt_ret gt_grad_norm(gt_ctx ctx, const gt_tensor* params, int64_t n, double norm_type);
// Clamps every element of the gradients to [-limit, limit].
uintptr_t gt_clip_grad_value(gt_ctx ctx, const gt_tensor* params, int64_t n, double limit);

#ifdef __cplusplus
}
#endif
#endif
