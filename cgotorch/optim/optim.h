// Optimizer steps over a whole parameter group, and gradient clipping: one
// crossing each, however many parameters there are. See abi.h for the rules.
#ifndef GOTORCH_OPTIM_H
#define GOTORCH_OPTIM_H

#include "../abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Which of PyTorch's implementations a step runs, as the keywords foreach and
// fused say: -1 for None, 0 and 1. A grad_scale and a found_inf are zero, or the
// one-element tensors of a gradient scaler: gradients are divided by the first,
// and the step is skipped where the second is 1.
typedef struct {
  int32_t foreach;
  int32_t fused;
  gt_tensor grad_scale;
  gt_tensor found_inf;
} gt_how;

// The state of a parameter, in the order in which it is passed.
enum { GT_ADAM_STEP, GT_ADAM_AVG, GT_ADAM_SQUARE, GT_ADAM_MAX_SQUARE, GT_ADAM_STATES };
enum { GT_SGD_MOMENTUM, GT_SGD_STATES };

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

// One step for every one of n parameters that has a gradient. state holds the
// handles of each parameter's state, zero for what it does not have yet; a step
// writes the handles of state that it makes there, which are the caller's. What
// can be refused is refused before anything has changed.
uintptr_t gt_adam_step(gt_ctx ctx, const gt_tensor* params, gt_tensor* state, int64_t n, const gt_adam* o,
                       const gt_how* how);
uintptr_t gt_sgd_step(gt_ctx ctx, const gt_tensor* params, gt_tensor* state, int64_t n, const gt_sgd* o,
                       const gt_how* how);

// Drops every gradient of the parameters, or fills it with zeros.
uintptr_t gt_zero_grad(gt_ctx ctx, const gt_tensor* params, int64_t n, int set_to_none);

// Scales the gradients of params so that the norm of all of them together is
// at most max_norm, and returns what it was. With error_if_nonfinite a norm
// that is not finite is an error. With foreach one kernel works on many tensors,
// else there is one for each; so it is for the next two.
gt_ret gt_clip_grad_norm(gt_ctx ctx, const gt_tensor* params, int64_t n, double max_norm,
                         double norm_type, int error_if_nonfinite, int foreach);
// The norm alone.
gt_ret gt_grad_norm(gt_ctx ctx, const gt_tensor* params, int64_t n, double norm_type,
                    int error_if_nonfinite, int foreach);
// Clamps every element of the gradients to [-limit, limit].
uintptr_t gt_clip_grad_value(gt_ctx ctx, const gt_tensor* params, int64_t n, double limit,
                             int foreach);

#ifdef __cplusplus
}
#endif
#endif
