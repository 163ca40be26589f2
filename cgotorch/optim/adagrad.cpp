// Adagrad, Adadelta and RMSprop, computed in the same way as in torch/optim.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "rule.hpp"

#include <ATen/ops/_coalesce_ops.h>
#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_addcdiv_ops.h>
#include <ATen/ops/_foreach_addcmul_ops.h>
#include <ATen/ops/_foreach_div_ops.h>
#include <ATen/ops/_foreach_lerp_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_sqrt_ops.h>
#include <ATen/ops/_fused_adagrad_ops.h>
#include <ATen/ops/_sparse_coo_tensor_unsafe_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addcdiv_ops.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/lerp_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/sparse_mask_ops.h>
#include <ATen/ops/sqrt_ops.h>

namespace gt {

// Returns a sparse tensor with the given values at the indices of `of`, which is coalesced.
at::Tensor with_values(const at::Tensor& of, const at::Tensor& values) {
  return at::_ops::_sparse_coo_tensor_unsafe::call(of._indices(), values, of.sym_sizes(), {}, {}, {}, {}, {});
}

namespace {

struct Adagrad final : Rule {
  enum { STEP, SUM };

  const at::Tensor eps;

  explicit Adagrad(const gt_settings& o) : Rule(o, "Adagrad", 2), eps(wrapped(o.eps)) { sparse = with_fused = true; }

  void collect(Work& w, How how) override {
    for (const at::Tensor& g : w.grads) {
      TORCH_CHECK(o.weight_decay == 0 || !g.is_sparse(), "Adagrad with weight_decay does not support sparse gradients");
    }
    for (const at::Tensor& p : w.params) {
      TORCH_CHECK(how != How::fused || p.is_cpu(), "Adagrad with fused=True needs parameters on the CPU, got ",
                  p.device());
    }
    collect_steps(w, STEP, how);
    collect_state(w, SUM, Make::value, o.initial);
  }

  double rate(double step) const { return o.lr / (1 + (step - 1) * o.lr_decay); }

  void prepare(One& x) override { x.n[0] = rate(count(x.state[STEP])); }

  void update(One& x) const override {
    const at::Tensor grad = gradient(x, o.weight_decay);
    if (grad.is_sparse()) return update_sparse(x, grad.coalesce());
    at::_ops::addcmul_::call(x.state[SUM], grad, grad, 1);
    at::Tensor std = at::_ops::sqrt::call(x.state[SUM]);
    at::_ops::add__Tensor::call(std, eps, 1);
    at::_ops::addcdiv_::call(x.param, grad, std, -x.n[0]);
  }

  void update_sparse(One& x, const at::Tensor& grad) const {
    const at::Tensor values = grad._values();
    at::_ops::add__Tensor::call(x.state[SUM], with_values(grad, at::_ops::pow_Tensor_Scalar::call(values, 2)), 1);
    at::Tensor std = at::_ops::sparse_mask::call(x.state[SUM], grad)._values();
    at::_ops::sqrt_::call(std);
    at::_ops::add__Tensor::call(std, eps, 1);
    at::_ops::add__Tensor::call(x.param, with_values(grad, at::_ops::div_Tensor::call(values, std)), -x.n[0]);
  }

  void foreach(Work&, Batch& b) override {
    std::vector<c10::Scalar> rates;
    for (at::Tensor& s : b.state[STEP]) rates.emplace_back(-rate(count(s)));
    gradients(b, o.weight_decay);
    at::_ops::_foreach_addcmul__Scalar::call(b.state[SUM], b.grads, b.grads, 1);
    std::vector<at::Tensor> std = at::_ops::_foreach_sqrt::call(b.state[SUM]);
    at::_ops::_foreach_add__Scalar::call(std, o.eps);
    if (o.weight_decay != 0 || o.maximize) {
      at::_ops::_foreach_mul__ScalarList::call(b.grads, rates);
    } else {
      b.grads = at::_ops::_foreach_mul_ScalarList::call(b.grads, rates);
    }
    at::_ops::_foreach_addcdiv__Scalar::call(b.params, b.grads, std, 1);
  }

  void fused(Batch& b, const std::optional<at::Tensor>& scale, const std::optional<at::Tensor>& inf) override {
    count_fused(b, STEP);
    const auto device_inf = beside(b, inf);
    at::_ops::_fused_adagrad_::call(b.params, b.grads, b.state[SUM], b.state[STEP], o.lr, o.lr_decay, o.weight_decay,
                                    o.eps, o.maximize, beside(b, scale), device_inf);
    uncount_fused(b, STEP, device_inf);
    copy_back(b);
  }
};

struct Adadelta final : Rule {
  enum { STEP, SQUARE, DELTA };

  const at::Tensor eps, rho;

  explicit Adadelta(const gt_settings& o) : Rule(o, "Adadelta", 3), eps(wrapped(o.eps)), rho(wrapped(o.rho)) {}

  void collect(Work& w, How how) override {
    collect_steps(w, STEP, how);
    collect_state(w, SQUARE, Make::zeros);
    collect_state(w, DELTA, Make::zeros);
  }

  void prepare(One& x) override { count(x.state[STEP]); }

  void update(One& x) const override {
    const at::Tensor grad = gradient(x, o.weight_decay);
    at::Tensor &square = x.state[SQUARE], &acc = x.state[DELTA];
    at::_ops::mul__Tensor::call(square, rho);
    at::_ops::addcmul_::call(square, grad, grad, 1 - o.rho);
    at::Tensor std = at::_ops::add_Tensor::call(square, eps, 1), delta = at::_ops::add_Tensor::call(acc, eps, 1);
    at::_ops::sqrt_::call(std);
    at::_ops::sqrt_::call(delta);
    at::_ops::div__Tensor::call(delta, std);
    at::_ops::mul__Tensor::call(delta, grad);
    at::_ops::mul__Tensor::call(acc, rho);
    at::_ops::addcmul_::call(acc, delta, delta, 1 - o.rho);
    at::_ops::add__Tensor::call(x.param, delta, -o.lr);
  }

  void foreach(Work&, Batch& b) override {
    auto &squares = b.state[SQUARE], &accs = b.state[DELTA];
    for (at::Tensor& s : b.state[STEP]) count(s);
    gradients(b, o.weight_decay);
    at::_ops::_foreach_mul__Scalar::call(squares, o.rho);
    at::_ops::_foreach_addcmul__Scalar::call(squares, b.grads, b.grads, 1 - o.rho);
    std::vector<at::Tensor> std = at::_ops::_foreach_add_Scalar::call(squares, o.eps);
    at::_ops::_foreach_sqrt_::call(std);
    std::vector<at::Tensor> deltas = at::_ops::_foreach_add_Scalar::call(accs, o.eps);
    at::_ops::_foreach_sqrt_::call(deltas);
    at::_ops::_foreach_div__List::call(deltas, std);
    at::_ops::_foreach_mul__List::call(deltas, b.grads);
    at::_ops::_foreach_mul__Scalar::call(accs, o.rho);
    at::_ops::_foreach_addcmul__Scalar::call(accs, deltas, deltas, 1 - o.rho);
    at::_ops::_foreach_add__List::call(b.params, deltas, -o.lr);
  }
};

struct RMSprop final : Rule {
  enum { STEP, SQUARE, MOMENTUM, AVG };

  const at::Tensor alpha, eps, momentum;

  explicit RMSprop(const gt_settings& o)
      : Rule(o, "RMSprop", 4), alpha(wrapped(o.alpha)), eps(wrapped(o.eps)), momentum(wrapped(o.momentum)) {}

  void collect(Work& w, How how) override {
    collect_steps(w, STEP, how);
    collect_state(w, SQUARE, Make::zeros);
    if (o.momentum > 0) collect_state(w, MOMENTUM, Make::zeros);
    if (o.centered) collect_state(w, AVG, Make::zeros);
  }

  void prepare(One& x) override { count(x.state[STEP]); }

  void update(One& x) const override {
    const at::Tensor grad = gradient(x, o.weight_decay);
    at::Tensor &square = x.state[SQUARE], &mean = x.state[AVG], &buf = x.state[MOMENTUM];
    at::_ops::mul__Tensor::call(square, alpha);
    at::_ops::addcmul_::call(square, grad, grad, 1 - o.alpha);
    at::Tensor avg;
    if (o.centered) {
      at::_ops::lerp__Scalar::call(mean, grad, 1 - o.alpha);
      avg = at::_ops::addcmul::call(square, mean, mean, -1);
      at::_ops::sqrt_::call(avg);
    } else {
      avg = at::_ops::sqrt::call(square);
    }
    at::_ops::add__Tensor::call(avg, eps, 1);
    if (o.momentum > 0) {
      at::_ops::mul__Tensor::call(buf, momentum);
      at::_ops::addcdiv_::call(buf, grad, avg, 1);
      at::_ops::add__Tensor::call(x.param, buf, -o.lr);
    } else {
      at::_ops::addcdiv_::call(x.param, grad, avg, -o.lr);
    }
  }

  void foreach(Work&, Batch& b) override {
    auto &squares = b.state[SQUARE], &means = b.state[AVG], &bufs = b.state[MOMENTUM];
    for (at::Tensor& s : b.state[STEP]) count(s);
    gradients(b, o.weight_decay);
    at::_ops::_foreach_mul__Scalar::call(squares, o.alpha);
    at::_ops::_foreach_addcmul__Scalar::call(squares, b.grads, b.grads, 1 - o.alpha);
    std::vector<at::Tensor> avg;
    if (o.centered) {
      at::_ops::_foreach_lerp__Scalar::call(means, b.grads, 1 - o.alpha);
      avg = at::_ops::_foreach_addcmul_Scalar::call(squares, means, means, -1);
      at::_ops::_foreach_sqrt_::call(avg);
    } else {
      avg = at::_ops::_foreach_sqrt::call(squares);
    }
    at::_ops::_foreach_add__Scalar::call(avg, o.eps);
    if (o.momentum > 0) {
      at::_ops::_foreach_mul__Scalar::call(bufs, o.momentum);
      at::_ops::_foreach_addcdiv__Scalar::call(bufs, b.grads, avg, 1);
      at::_ops::_foreach_add__List::call(b.params, bufs, -o.lr);
    } else {
      at::_ops::_foreach_addcdiv__Scalar::call(b.params, b.grads, avg, -o.lr);
    }
  }
};

GT_OPTIMIZER(Adadelta, Adadelta(o));
GT_OPTIMIZER(Adagrad, Adagrad(o));
GT_OPTIMIZER(RMSprop, RMSprop(o));

}  // namespace

}  // namespace gt

#endif
