// Adam and AdamW as torch/optim/adam.py computes them: the same operators in the
// same order, with scalars worked out in double.
#ifdef GOTORCH_TOGETHER  // compiled by together.cpp

#include "step.hpp"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_addcdiv_ops.h>
#include <ATen/ops/_foreach_addcmul_ops.h>
#include <ATen/ops/_foreach_div_ops.h>
#include <ATen/ops/_foreach_lerp_ops.h>
#include <ATen/ops/_foreach_maximum_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_neg_ops.h>
#include <ATen/ops/_foreach_sqrt_ops.h>
#include <ATen/ops/_foreach_sub_ops.h>
#include <ATen/ops/_fused_adam_ops.h>
#include <ATen/ops/_fused_adamw_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addcdiv_ops.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/lerp_ops.h>
#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/view_as_real_ops.h>

#include <cmath>

using gt::Batch;
using gt::How;
using gt::Work;

namespace {

// pow(x, 0.5) is what Python computes, and not always sqrt(x).
struct Corrections {
  double step_size, square_root;
  Corrections(const gt_adam& o, double step)
      : step_size(o.lr / (1 - std::pow(o.beta1, step))),
        square_root(std::pow(1 - std::pow(o.beta2, step), 0.5)) {}
};

// A number as operators take it where a tensor is due, made once for all
// parameters: making one takes as long as a small operator.
at::Tensor wrapped(double v) {
  at::Tensor t(at::detail::empty_cpu({}, at::kDouble));
  *t.mutable_data_ptr<double>() = v;
  t.unsafeGetTensorImpl()->set_wrapped_number(true);
  return t;
}

// The numbers of a step that do not depend on the parameter.
struct Numbers {
  at::Tensor decay, beta2, eps;
  // The last parameter's, which are the next one's as well as a rule.
  double step = 0, step_size = 0;
  at::Tensor square_root;

  explicit Numbers(const gt_adam& o)
      : decay(wrapped(1 - o.lr * o.weight_decay)), beta2(wrapped(o.beta2)), eps(wrapped(o.eps)) {}
  void at(const gt_adam& o, double now) {
    if (now == step) return;
    const Corrections c(o, now);
    step = now;
    step_size = c.step_size;
    square_root = wrapped(c.square_root);
  }
};

void single(Work& w, size_t i, const gt_adam& o, Numbers& n) {
  at::Tensor param = w.params[i], grad = w.grads[i];
  at::Tensor avg = w.state[GT_ADAM_AVG][i], square = w.state[GT_ADAM_SQUARE][i];
  at::Tensor max_square = o.amsgrad ? w.state[GT_ADAM_MAX_SQUARE][i] : at::Tensor();
  if (o.maximize) grad = at::_ops::neg::call(grad);
  n.at(o, gt::count(w.state[GT_ADAM_STEP][i]));
  if (o.weight_decay != 0) {
    if (o.decoupled) {
      at::_ops::mul__Tensor::call(param, n.decay);
    } else {
      grad = at::_ops::add_Tensor::call(grad, param, o.weight_decay);
    }
  }
  if (param.is_complex()) {
    grad = grad.resolve_conj();
    for (at::Tensor* t : {&param, &grad, &avg, &square, &max_square}) {
      if (t->defined()) *t = at::_ops::view_as_real::call(*t);
    }
  }
  at::_ops::lerp__Scalar::call(avg, grad, 1 - o.beta1);
  at::_ops::mul__Tensor::call(square, n.beta2);
  at::_ops::addcmul_::call(square, grad, grad, 1 - o.beta2);
  if (o.amsgrad) at::_ops::maximum_out::call(max_square, square, max_square);
  at::Tensor denom = at::_ops::sqrt::call(o.amsgrad ? max_square : square);
  at::_ops::div__Tensor::call(denom, n.square_root);
  at::_ops::add__Tensor::call(denom, n.eps, 1);
  at::_ops::addcdiv_::call(param, avg, denom, -n.step_size);
}

void real(std::vector<at::Tensor>& ts) {
  for (at::Tensor& t : ts) t = at::_ops::view_as_real::call(t);
}

void foreach(Batch& b, const gt_adam& o) {
  std::vector<at::Tensor>&grads = b.grads, &squares = b.state[GT_ADAM_SQUARE];
  if (b.params.front().is_complex()) {
    for (at::Tensor& g : grads) g = g.resolve_conj();
    real(b.params);
    real(grads);
    for (int k : {GT_ADAM_AVG, GT_ADAM_SQUARE, GT_ADAM_MAX_SQUARE}) real(b.state[k]);
  }
  if (o.maximize) grads = at::_ops::_foreach_neg::call(grads);
  std::vector<c10::Scalar> step_size, square_root;
  for (at::Tensor& s : b.state[GT_ADAM_STEP]) {
    const Corrections c(o, gt::count(s));
    step_size.emplace_back(-c.step_size);
    square_root.emplace_back(c.square_root);
  }
  if (o.weight_decay != 0) {
    if (o.decoupled) {
      at::_ops::_foreach_mul__Scalar::call(b.params, 1 - o.lr * o.weight_decay);
    } else if (o.maximize) {
      at::_ops::_foreach_add__List::call(grads, b.params, o.weight_decay);
    } else {
      grads = at::_ops::_foreach_add_List::call(grads, b.params, o.weight_decay);
    }
  }
  at::_ops::_foreach_lerp__Scalar::call(b.state[GT_ADAM_AVG], grads, 1 - o.beta1);
  at::_ops::_foreach_mul__Scalar::call(squares, o.beta2);
  at::_ops::_foreach_addcmul__Scalar::call(squares, grads, grads, 1 - o.beta2);
  if (o.amsgrad) at::_ops::_foreach_maximum__List::call(b.state[GT_ADAM_MAX_SQUARE], squares);
  std::vector<at::Tensor> denom =
      at::_ops::_foreach_sqrt::call(o.amsgrad ? b.state[GT_ADAM_MAX_SQUARE] : squares);
  at::_ops::_foreach_div__ScalarList::call(denom, square_root);
  at::_ops::_foreach_add__Scalar::call(denom, o.eps);
  at::_ops::_foreach_addcdiv__ScalarList::call(b.params, b.state[GT_ADAM_AVG], denom, step_size);
}

void fused(Batch& b, const gt_adam& o, const std::optional<at::Tensor>& scale,
           const std::optional<at::Tensor>& inf) {
  auto& steps = b.state[GT_ADAM_STEP];
  if (b.params.front().is_cpu()) {
    for (at::Tensor& s : steps) gt::count(s);
  } else {
    at::_ops::_foreach_add__Scalar::call(steps, 1);
  }
  const auto to = [&](const std::optional<at::Tensor>& t) {
    return t ? std::optional<at::Tensor>(t->to(b.params.front().device())) : std::nullopt;
  };
  const auto device_inf = to(inf);
  (o.decoupled ? at::_ops::_fused_adamw_::call : at::_ops::_fused_adam_::call)(
      b.params, b.grads, b.state[GT_ADAM_AVG], b.state[GT_ADAM_SQUARE], b.state[GT_ADAM_MAX_SQUARE], steps, o.lr,
      o.beta1, o.beta2, o.weight_decay, o.eps, o.amsgrad, o.maximize, to(scale), device_inf);
  if (device_inf) {  // a skipped step does not count
    std::vector<at::Tensor> by(steps.size(), device_inf->reshape({}));
    at::_ops::_foreach_sub__List::call(steps, by, 1);
  }
  for (auto& [dst, src] : b.copies) at::_ops::copy_::call(dst, src, false);
}

}  // namespace

extern "C" uintptr_t gt_adam_step(gt_ctx ctx, const gt_tensor* params, gt_tensor* state, int64_t n,
                                   const gt_adam* o, const gt_how* how) {
  try {
    gt::enter(ctx);
    gt::Quiet quiet;
    const auto scale = gt::one_number("grad_scale", how->grad_scale), inf = gt::one_number("found_inf", how->found_inf);
    gt::Step step({params, state, n}, GT_ADAM_STATES);
    Work& w = step.work;
    gt::list(w);
    if (w.size() == 0) return 0;
    const How chosen = gt::choose(w, *how);
    gt::check(w, o->decoupled ? "AdamW" : "Adam", chosen, false);
    if (chosen != How::fused && inf && inf->item<float>() == 1) return 0;
    gt::collect_steps(w, GT_ADAM_STEP, chosen);
    gt::collect_state(w, GT_ADAM_AVG, true);
    gt::collect_state(w, GT_ADAM_SQUARE, true);
    if (o->amsgrad) gt::collect_state(w, GT_ADAM_MAX_SQUARE, true);
    if (scale && chosen != How::fused) gt::unscale(w, *scale);
    if (chosen == How::single) {
      Numbers numbers(*o);
      for (size_t i = 0; i < w.size(); i++) {
        single(w, i, *o, numbers);
        w.keep(i);
      }
    } else {
      for (char& first : w.first) first = false;  // zeros are as good as none
      for (Batch& b : gt::batches(w, chosen)) {
        chosen == How::fused ? fused(b, *o, scale, inf) : foreach(b, *o);
        for (size_t i : b.at) w.keep(i);
      }
    }
    for (size_t i = 0; i < w.size(); i++) {
      gt::wrote(w.params[i]);
      for (auto& s : w.state) {
        if (i < s.size()) gt::wrote(s[i]);
      }
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

#endif
