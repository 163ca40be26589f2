// Optimizer steps over a whole parameter group, and gradient clipping, in one call each. See abi.h
// for the rules.
#ifndef GOTORCH_OPTIM_H
#define GOTORCH_OPTIM_H

#include "../abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// How to run a step. foreach and fused are the keywords of PyTorch's optimizers: -1 for None, 0 or
// 1. grad_scale and found_inf are the one-element tensors of a gradient scaler, or zero: gradients
// are divided by grad_scale, and the step is skipped if found_inf is 1.
typedef struct {
  int32_t foreach;
  int32_t fused;
  gt_tensor grad_scale;
  gt_tensor found_inf;
} gt_how;

// The largest number of state tensors per parameter.
enum { GT_MAX_STATES = 4 };

// The settings of a step, named as in PyTorch. Each optimizer reads only its own settings.
typedef struct {
  double lr, weight_decay, eps, momentum;
  double beta1, beta2;                     // Rprop: etas
  double dampening;                        // SGD
  double alpha;                            // RMSprop, ASGD
  double rho;                              // Adadelta
  double lr_decay, initial;                // for Adagrad; initial is also Rprop's lr and ASGD's eta
  double momentum_decay;                   // NAdam
  double lambd, t0;                        // ASGD
  double least, most;                      // Rprop: step_sizes
  double eps1, beta2_decay, d;             // for Adafactor; a NaN eps1 means None
  double own[6];                           // settings of one optimizer, in the order that its Rule defines
  int32_t amsgrad, centered, decoupled, maximize, nesterov;
} gt_settings;

// Returns the number of the optimizer with this name, or 0 if there is none.
int32_t gt_optimizer_find(const char* name);
// Performs one step for each of n parameters that has a gradient. state contains the
// handles of the state tensors, zero for missing ones. Each parameter has `states` of
// them, in the order of the names in package optim. The step writes the handles of
// tensors that it creates to state; the caller owns them. Everything is checked before
// anything changes. While a graph is being captured, the graph repeats this step at each
// replay, and *out_recorded identifies the step for gt_optimizer_feed as long as the
// graph exists. Otherwise *out_recorded is not written.
uintptr_t gt_optimizer_step(gt_ctx ctx, int32_t optimizer, const gt_tensor* params, gt_tensor* state, int64_t n,
                            int64_t states, const gt_settings* o, const gt_how* how, uintptr_t* out_recorded);
// Sets the settings of a captured step for later replays.
void gt_optimizer_feed(uintptr_t recorded, const gt_settings* o);

// Removes the gradients of the parameters, or fills them with zeros.
uintptr_t gt_zero_grad(gt_ctx ctx, const gt_tensor* params, int64_t n, int set_to_none);

// Scales the gradients of params so that their total norm is at most max_norm, and returns the norm before
// scaling. With error_if_nonfinite, a norm that is not finite is an error. With foreach, one kernel
// processes many tensors; otherwise each tensor takes one. foreach means the same in the next two functions.
gt_ret gt_clip_grad_norm(gt_ctx ctx, const gt_tensor* params, int64_t n, double max_norm,
                         double norm_type, int error_if_nonfinite, int foreach);
// Returns the total norm without scaling the gradients.
gt_ret gt_grad_norm(gt_ctx ctx, const gt_tensor* params, int64_t n, double norm_type,
                    int error_if_nonfinite, int foreach);
// Clamps every element of the gradients to [-limit, limit].
uintptr_t gt_clip_grad_value(gt_ctx ctx, const gt_tensor* params, int64_t n, double limit,
                             int foreach);

// This and the following functions are for L-BFGS, which treats all parameters as one vector.
// Returns the gradients as one vector, with zeros for missing gradients. The caller owns it.
gt_ret gt_flat_grad(gt_ctx ctx, const gt_tensor* params, int64_t n);
// Adds step times the vector update to the parameters.
uintptr_t gt_add_flat(gt_ctx ctx, const gt_tensor* params, int64_t n, gt_tensor update, double step);
// gt_save_params writes copies of the parameters to `to`, which the caller owns. gt_restore_params copies them back.
uintptr_t gt_save_params(gt_ctx ctx, const gt_tensor* params, int64_t n, gt_tensor* to);
uintptr_t gt_restore_params(gt_ctx ctx, const gt_tensor* params, int64_t n, const gt_tensor* from);
// Returns the descent direction: the negative gradient times an estimate of the inverse
// Hessian. The estimate starts with diagonal. It uses n changes of the gradient, n steps
// of the parameters, and ro, which contains the reciprocal of the product of each pair.
// The caller owns the result.
gt_ret gt_lbfgs_direction(gt_ctx ctx, gt_tensor grad, const gt_tensor* changes, const gt_tensor* steps,
                          const double* ro, int64_t n, double diagonal);

#ifdef __cplusplus
}
#endif
#endif
