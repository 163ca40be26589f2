// Rprop and ASGD, computed in the same way as in torch/optim.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "rule.hpp"

#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_addcmul_ops.h>
#include <ATen/ops/_foreach_copy_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_neg_ops.h>
#include <ATen/ops/_foreach_sign_ops.h>
#include <ATen/ops/_foreach_sub_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/clamp_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/eq_ops.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/gt_ops.h>
#include <ATen/ops/lt_ops.h>
#include <ATen/ops/masked_fill_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/sign_ops.h>
#include <ATen/ops/sub_ops.h>

#include <cmath>

namespace gt {

namespace {

struct Rprop final : Rule {
  enum { STEP, PREV, SIZE };

  explicit Rprop(const gt_settings& o) : Rule(o, "Rprop", 3) {}

  void collect(Work& w, How how) override {
    collect_steps(w, STEP, how);
    collect_state(w, PREV, Make::zeros);
    collect_state(w, SIZE, Make::value, o.initial);
  }

  // Replaces each sign with a factor for the step size: positive with etas[1], negative
  // with etas[0], zero with 1.
  void factors(at::Tensor& sign) const {
    at::_ops::masked_fill__Scalar::call(sign, at::_ops::gt_Scalar::call(sign, 0), o.beta2);
    at::_ops::masked_fill__Scalar::call(sign, at::_ops::lt_Scalar::call(sign, 0), o.beta1);
    at::_ops::masked_fill__Scalar::call(sign, at::_ops::eq_Scalar::call(sign, 0), 1);
  }

  void prepare(One& x) override { count(x.state[STEP]); }

  void update(One& x) const override {
    at::Tensor &prev = x.state[PREV], &size = x.state[SIZE];
    {
      const at::Tensor grad = gradient(x, 0);
      at::Tensor sign = at::_ops::mul_Tensor::call(grad, prev);
      at::_ops::sign_::call(sign);
      factors(sign);
      at::_ops::mul__Tensor::call(size, sign);
      at::_ops::clamp_::call(size, at::Scalar(o.least), at::Scalar(o.most));
      at::_ops::copy_::call(prev, grad, false);
      at::_ops::masked_fill__Scalar::call(prev, at::_ops::eq_Scalar::call(sign, o.beta1), 0);
    }
    at::_ops::addcmul_::call(x.param, at::_ops::sign::call(prev), size, -1);
  }

  void foreach(Work&, Batch& b) override {
    auto &prevs = b.state[PREV], &sizes = b.state[SIZE];
    for (at::Tensor& s : b.state[STEP]) count(s);
    std::vector<at::Tensor> signs = at::_ops::_foreach_mul_List::call(b.grads, prevs);
    if (o.maximize) at::_ops::_foreach_neg_::call(signs);
    at::_ops::_foreach_copy_::call(prevs, b.grads, false);
    if (o.maximize) at::_ops::_foreach_neg_::call(prevs);
    at::_ops::_foreach_sign_::call(signs);
    for (at::Tensor& s : signs) factors(s);
    at::_ops::_foreach_mul__List::call(sizes, signs);
    for (at::Tensor& s : sizes) at::_ops::clamp_::call(s, at::Scalar(o.least), at::Scalar(o.most));
    for (size_t i = 0; i < prevs.size(); i++) {
      at::_ops::masked_fill__Scalar::call(prevs[i], at::_ops::eq_Scalar::call(signs[i], o.beta1), 0);
    }
    signs.clear();  // Free the old signs before the new ones are allocated.
    signs = at::_ops::_foreach_sign::call(prevs);
    at::_ops::_foreach_addcmul__Scalar::call(b.params, signs, sizes, -1);
  }
};

struct ASGD final : Rule {
  enum { STEP, ETA, MU, AX };

  explicit ASGD(const gt_settings& o) : Rule(o, "ASGD", 4) {}

  void collect(Work& w, How) override {
    collect_numbers(w, STEP, 0, true);
    collect_numbers(w, ETA, o.initial, true);
    collect_numbers(w, MU, 1, true);
    collect_state(w, AX, Make::zeros);
  }

  void prepare(One& x) override {
    x.n[0] = count(x.state[STEP]);
    x.n[1] = x.state[ETA].item<double>();
    x.n[2] = x.state[MU].item<double>();
  }

  void update(One& x) const override {
    const at::Tensor grad = gradient(x, o.weight_decay);
    at::_ops::mul__Tensor::call(x.param, wrapped(1 - o.lambd * x.n[1]));
    at::_ops::add__Tensor::call(x.param, grad, -x.n[1]);
    if (x.n[2] == 1) {
      at::_ops::copy_::call(x.state[AX], x.param, false);
      return;
    }
    at::Tensor apart = at::_ops::sub_Tensor::call(x.param, x.state[AX], 1);
    at::_ops::mul__Tensor::call(apart, wrapped(x.n[2]));
    at::_ops::add__Tensor::call(x.state[AX], apart, 1);
  }

  void finish(One& x) override {
    at::_ops::fill__Scalar::call(x.state[ETA], o.lr / std::pow(1 + o.lambd * o.lr * x.n[0], o.alpha));
    at::_ops::fill__Scalar::call(x.state[MU], 1 / std::max(1.0, x.n[0] - o.t0));
  }

  void foreach(Work&, Batch& b) override {
    std::vector<double> counts;
    for (at::Tensor& s : b.state[STEP]) counts.push_back(count(s));
    gradients(b, o.weight_decay);
    if (o.weight_decay != 0) {
      at::_ops::_foreach_add__List::call(b.grads, b.params, o.lambd);
    } else {
      b.grads = at::_ops::_foreach_add_List::call(b.grads, b.params, o.lambd);
    }
    at::_ops::_foreach_addcmul__Scalar::call(b.params, b.grads, b.state[ETA], -1);
    b.grads.clear();
    const std::vector<at::Tensor> apart = at::_ops::_foreach_sub_List::call(b.params, b.state[AX], 1);
    at::_ops::_foreach_addcmul__Scalar::call(b.state[AX], apart, b.state[MU], 1);
    for (size_t i = 0; i < counts.size(); i++) {
      // With foreach, Python computes the power in the dtype of the step count, so do the same.
      at::Tensor eta = at::_ops::mul_Scalar::call(b.state[STEP][i], o.lambd * o.lr);
      at::_ops::add__Scalar::call(eta, 1, 1);
      eta = at::_ops::pow_Tensor_Scalar::call(eta, o.alpha);
      at::_ops::reciprocal_::call(eta);
      at::_ops::mul__Scalar::call(eta, o.lr);
      at::_ops::copy_::call(b.state[ETA][i], eta, false);
      at::_ops::fill__Scalar::call(b.state[MU][i], 1 / std::max(1.0, counts[i] - o.t0));
    }
  }
};

GT_OPTIMIZER(ASGD, ASGD(o));
GT_OPTIMIZER(Rprop, Rprop(o));

}  // namespace

}  // namespace gt

#endif
