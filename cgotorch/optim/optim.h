// Optimizer steps over a whole parameter group, and gradient clipping, in one call each. See abi.h
// for the rules.
#ifndef GOTORCH_OPTIM_H
#define GOTORCH_OPTIM_H

#include "../abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// The implementation of a step, as with the keywords foreach and fused: -1 for None, 0 and 1.
// grad_scale and found_inf are zero, or the one-element tensors of a gradient scaler: gradients are
// divided by the first, and the step is skipped if the second is 1.
typedef struct {
  int32_t foreach;
  int32_t fused;
  gt_tensor grad_scale;
  gt_tensor found_inf;
} gt_how;

// The most state tensors that a parameter has.
enum { GT_MAX_STATES = 4 };

// The settings of a step, with PyTorch's names. Each optimizer reads its own.
typedef struct {
  double lr, weight_decay, eps, momentum;
  double beta1, beta2;                     // Rprop: etas
  double dampening;                        // SGD
  double alpha;                            // RMSprop, ASGD
  double rho;                              // Adadelta
  double lr_decay, initial;                // Adagrad; initial is also Rprop's lr, ASGD's eta
  double momentum_decay;                   // NAdam
  double lambd, t0;                        // ASGD
  double least, most;                      // Rprop: step_sizes
  double eps1, beta2_decay, d;             // Adafactor; a NaN eps1 is None
  double own[6];                           // of one optimizer, in the order of its rule
  int32_t amsgrad, centered, decoupled, maximize, nesterov;
} gt_settings;

// The number of the optimizer of a name, 0 if there is none.
int32_t gt_optimizer_find(const char* name);
// Performs one step for each of n parameters that has a gradient. state holds the handles of each
// parameter's state, in the order of the names in package optim, zero for missing ones. states is
// their number per parameter. A step writes the handles of the state that it creates to state, and
// the caller owns them. The arguments are checked before anything changes. While a step is being
// captured, the graph repeats this step at each replay, and *out_recorded identifies it for
// gt_optimizer_feed while the graph exists. Otherwise it is not set.
uintptr_t gt_optimizer_step(gt_ctx ctx, int32_t optimizer, const gt_tensor* params, gt_tensor* state, int64_t n,
                            int64_t states, const gt_settings* o, const gt_how* how, uintptr_t* out_recorded);
// Sets the settings of a captured step for later replays.
void gt_optimizer_feed(uintptr_t recorded, const gt_settings* o);

// Drops every gradient of the parameters, or fills it with zeros.
uintptr_t gt_zero_grad(gt_ctx ctx, const gt_tensor* params, int64_t n, int set_to_none);

// Scales the gradients of params so that their total norm is at most max_norm, and returns the norm
// before. With error_if_nonfinite a norm that is not finite is an error. With foreach one kernel
// processes many tensors, otherwise one each. This also applies to the next two.
gt_ret gt_clip_grad_norm(gt_ctx ctx, const gt_tensor* params, int64_t n, double max_norm,
                         double norm_type, int error_if_nonfinite, int foreach);
// Only the norm.
gt_ret gt_grad_norm(gt_ctx ctx, const gt_tensor* params, int64_t n, double norm_type,
                    int error_if_nonfinite, int foreach);
// Clamps every element of the gradients to [-limit, limit].
uintptr_t gt_clip_grad_value(gt_ctx ctx, const gt_tensor* params, int64_t n, double limit,
                             int foreach);

// For L-BFGS, which treats all parameters as one vector. The gradients as that vector, with zeros
// for missing ones. The caller owns the result.
gt_ret gt_flat_grad(gt_ctx ctx, const gt_tensor* params, int64_t n);
// Adds step times the vector to the parameters.
uintptr_t gt_add_flat(gt_ctx ctx, const gt_tensor* params, int64_t n, gt_tensor update, double step);
// Copies the parameters to to, which the caller owns, and back.
uintptr_t gt_save_params(gt_ctx ctx, const gt_tensor* params, int64_t n, gt_tensor* to);
uintptr_t gt_restore_params(gt_ctx ctx, const gt_tensor* params, int64_t n, const gt_tensor* from);
// The direction of descent: the negative gradient times the inverse Hessian, estimated from n
// changes of the gradient, the changes of the parameters and the numbers ro (one over their
// product), starting with diagonal. The caller owns it.
gt_ret gt_lbfgs_direction(gt_ctx ctx, gt_tensor grad, const gt_tensor* changes, const gt_tensor* steps,
                          const double* ro, int64_t n, double diagonal);

#ifdef __cplusplus
}
#endif
#endif
