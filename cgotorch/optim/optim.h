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

// The optimizers.
enum {
  GT_ADADELTA, GT_ADAFACTOR, GT_ADAGRAD, GT_ADAM, GT_ADAMAX, GT_ADAMW, GT_ASGD, GT_MUON, GT_NADAM,
  GT_RADAM, GT_RMSPROP, GT_RPROP, GT_SGD, GT_SPARSE_ADAM
};

// The most state tensors that a parameter has.
enum { GT_MAX_STATES = 4 };

// The settings of a step, under PyTorch's names. Each optimizer reads its own.
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
  double a, b, c;                          // Muon: ns_coefficients
  int32_t ns_steps, adjust_lr;             // Muon; adjust_lr is 0 for original, 1 for match_rms_adamw
  int32_t amsgrad, centered, decoupled, maximize, nesterov;
} gt_settings;

// One step of an optimizer for every one of n parameters that has a gradient.
// state holds the handles of each parameter's state, in the order of the names
// in package optim, zero for what it does not have yet; a step writes the handles
// of state that it makes there, which are the caller's. What can be refused is
// refused before anything has changed. states is how many there are of each parameter.
// While a step is captured, the graph makes this one at each replay, and *out_recorded is
// its name for gt_optimizer_feed, as long as the graph is there; else it stays.
uintptr_t gt_optimizer_step(gt_ctx ctx, int32_t optimizer, const gt_tensor* params, gt_tensor* state, int64_t n,
                            int64_t states, const gt_settings* o, const gt_how* how, uintptr_t* out_recorded);
// Sets the settings of a captured step for the replays to come.
void gt_optimizer_feed(uintptr_t recorded, const gt_settings* o);

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

// For L-BFGS, which sees all parameters as one vector. The gradients in it, zeros
// where there is none; the caller owns the result.
gt_ret gt_flat_grad(gt_ctx ctx, const gt_tensor* params, int64_t n);
// Adds step times the vector to the parameters.
uintptr_t gt_add_flat(gt_ctx ctx, const gt_tensor* params, int64_t n, gt_tensor update, double step);
// Copies of the parameters, which the caller owns, into to; and back from there.
uintptr_t gt_save_params(gt_ctx ctx, const gt_tensor* params, int64_t n, gt_tensor* to);
uintptr_t gt_restore_params(gt_ctx ctx, const gt_tensor* params, int64_t n, const gt_tensor* from);
// The direction of descent: the negative gradient times the inverse Hessian that
// n changes of the gradient, those of the parameters and the numbers ro (one over
// their product) stand for, diagonal being where it starts. The caller owns it.
gt_ret gt_lbfgs_direction(gt_ctx ctx, gt_tensor grad, const gt_tensor* changes, const gt_tensor* steps, const double* ro,
                          int64_t n, double diagonal);

#ifdef __cplusplus
}
#endif
#endif
