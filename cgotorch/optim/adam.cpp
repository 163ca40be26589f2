// Adam and AdamW, computed as in torch/optim/adam.py: with the same operators in the same order,
// and scalars in double.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "rule.hpp"

#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_addcdiv_ops.h>
#include <ATen/ops/_foreach_addcmul_ops.h>
#include <ATen/ops/_foreach_div_ops.h>
#include <ATen/ops/_foreach_lerp_ops.h>
#include <ATen/ops/_foreach_maximum_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_sqrt_ops.h>
#include <ATen/ops/_fused_adam_ops.h>
#include <ATen/ops/_fused_adamw_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addcdiv_ops.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/lerp_ops.h>
#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/sqrt_ops.h>

#include <cmath>

namespace gt {

namespace {

struct Adam final : Rule {
  enum { STEP, AVG, SQUARE, MAX_SQUARE };

  const at::Tensor decay, beta2, eps;
  // Scalars computed for the last parameter. They are usually valid for the next one too.
  double step = 0, step_size = 0;
  at::Tensor square_root;

  Adam(const gt_settings& o, const char* name)
      : Rule(o, name, 4), decay(wrapped(1 - o.lr * o.weight_decay)), beta2(wrapped(o.beta2)), eps(wrapped(o.eps)) {
    with_fused = true;
  }

  void collect(Work& w, How how) override {
    collect_steps(w, STEP, how);
    collect_state(w, AVG, Make::zeros);
    collect_state(w, SQUARE, Make::zeros);
    if (o.amsgrad) collect_state(w, MAX_SQUARE, Make::zeros);
  }

  // Not sqrt: Python computes pow(x, 0.5), which may differ.
  double root(double step) const { return std::pow(1 - std::pow(o.beta2, step), 0.5); }
  double size(double step) const { return o.lr / (1 - std::pow(o.beta1, step)); }

  void prepare(One& x) override {
    if (const double now = count(x.state[STEP]); now != step) {
      step = now;
      step_size = size(step);
      square_root = wrapped(root(step));
    }
    x.n[0] = step_size;
    x.t[0] = square_root;
  }

  void update(One& x) const override {
    const at::Tensor grad = gradient(x, o.decoupled ? 0 : o.weight_decay);
    at::Tensor &square = x.state[SQUARE], &max_square = x.state[MAX_SQUARE];
    if (o.decoupled && o.weight_decay != 0) at::_ops::mul__Tensor::call(x.param, decay);
    at::_ops::lerp__Scalar::call(x.state[AVG], grad, 1 - o.beta1);
    at::_ops::mul__Tensor::call(square, beta2);
    at::_ops::addcmul_::call(square, grad, grad, 1 - o.beta2);
    if (o.amsgrad) at::_ops::maximum_out::call(max_square, square, max_square);
    at::Tensor denom = at::_ops::sqrt::call(o.amsgrad ? max_square : square);
    at::_ops::div__Tensor::call(denom, x.t[0]);
    at::_ops::add__Tensor::call(denom, eps, 1);
    at::_ops::addcdiv_::call(x.param, x.state[AVG], denom, -x.n[0]);
  }

  void foreach(Work&, Batch& b) override {
    auto& squares = b.state[SQUARE];
    std::vector<c10::Scalar> sizes, roots;
    for (at::Tensor& s : b.state[STEP]) {
      const double now = count(s);
      sizes.emplace_back(-size(now));
      roots.emplace_back(root(now));
    }
    gradients(b, o.decoupled ? 0 : o.weight_decay);
    if (o.decoupled && o.weight_decay != 0) at::_ops::_foreach_mul__Scalar::call(b.params, 1 - o.lr * o.weight_decay);
    at::_ops::_foreach_lerp__Scalar::call(b.state[AVG], b.grads, 1 - o.beta1);
    at::_ops::_foreach_mul__Scalar::call(squares, o.beta2);
    at::_ops::_foreach_addcmul__Scalar::call(squares, b.grads, b.grads, 1 - o.beta2);
    b.grads.clear();
    if (o.amsgrad) at::_ops::_foreach_maximum__List::call(b.state[MAX_SQUARE], squares);
    std::vector<at::Tensor> denom = at::_ops::_foreach_sqrt::call(o.amsgrad ? b.state[MAX_SQUARE] : squares);
    at::_ops::_foreach_div__ScalarList::call(denom, roots);
    at::_ops::_foreach_add__Scalar::call(denom, o.eps);
    at::_ops::_foreach_addcdiv__ScalarList::call(b.params, b.state[AVG], denom, sizes);
  }

  void fused(Batch& b, const std::optional<at::Tensor>& scale, const std::optional<at::Tensor>& inf) override {
    count_fused(b, STEP);
    const auto device_inf = beside(b, inf);
    (o.decoupled ? at::_ops::_fused_adamw_::call : at::_ops::_fused_adam_::call)(
        b.params, b.grads, b.state[AVG], b.state[SQUARE], b.state[MAX_SQUARE], b.state[STEP], o.lr, o.beta1, o.beta2,
        o.weight_decay, o.eps, o.amsgrad, o.maximize, beside(b, scale), device_inf);
    uncount_fused(b, STEP, device_inf);
    copy_back(b);
  }
};

GT_OPTIMIZER(Adam, Adam(o, "Adam"));
GT_OPTIMIZER(AdamW, Adam(o, "AdamW"));

}  // namespace

}  // namespace gt

#endif
