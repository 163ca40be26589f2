// Variants of Adam: Adamax, NAdam, RAdam and SparseAdam, computed in the same way as in
// torch/optim.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "rule.hpp"

#include <ATen/ops/_foreach_abs_ops.h>
#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_addcdiv_ops.h>
#include <ATen/ops/_foreach_addcmul_ops.h>
#include <ATen/ops/_foreach_div_ops.h>
#include <ATen/ops/_foreach_lerp_ops.h>
#include <ATen/ops/_foreach_maximum_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_reciprocal_ops.h>
#include <ATen/ops/_foreach_sqrt_ops.h>
#include <ATen/ops/abs_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addcdiv_ops.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/lerp_ops.h>
#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/sparse_mask_ops.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/sub_ops.h>

#include <cmath>

namespace gt {

namespace {

struct Adamax final : Rule {
  enum { STEP, AVG, INF };

  const at::Tensor beta2, eps;

  explicit Adamax(const gt_settings& o) : Rule(o, "Adamax", 3), beta2(wrapped(o.beta2)), eps(wrapped(o.eps)) {}

  void collect(Work& w, How how) override {
    collect_steps(w, STEP, how);
    collect_state(w, AVG, Make::zeros);
    collect_state(w, INF, Make::zeros);
  }

  double rate(double step) const { return o.lr / (1 - std::pow(o.beta1, step)); }

  void prepare(One& x) override { x.n[0] = rate(count(x.state[STEP])); }

  void update(One& x) const override {
    const at::Tensor grad = gradient(x, o.weight_decay);
    at::_ops::lerp__Scalar::call(x.state[AVG], grad, 1 - o.beta1);
    at::_ops::mul__Tensor::call(x.state[INF], beta2);
    at::Tensor size = at::_ops::abs::call(grad);
    at::_ops::add__Tensor::call(size, eps, 1);
    at::_ops::maximum_out::call(x.state[INF], size, x.state[INF]);
    at::_ops::addcdiv_::call(x.param, x.state[AVG], x.state[INF], -x.n[0]);
  }

  void foreach(Work&, Batch& b) override {
    std::vector<c10::Scalar> rates;
    for (at::Tensor& s : b.state[STEP]) rates.emplace_back(-rate(count(s)));
    gradients(b, o.weight_decay);
    at::_ops::_foreach_lerp__Scalar::call(b.state[AVG], b.grads, 1 - o.beta1);
    at::_ops::_foreach_mul__Scalar::call(b.state[INF], o.beta2);
    if (o.maximize || o.weight_decay != 0) {
      at::_ops::_foreach_abs_::call(b.grads);
    } else {
      b.grads = at::_ops::_foreach_abs::call(b.grads);
    }
    at::_ops::_foreach_add__Scalar::call(b.grads, o.eps);
    at::_ops::_foreach_maximum__List::call(b.state[INF], b.grads);
    at::_ops::_foreach_addcdiv__ScalarList::call(b.params, b.state[AVG], b.state[INF], rates);
  }
};

struct NAdam final : Rule {
  enum { STEP, PRODUCT, AVG, SQUARE };

  const at::Tensor decay, beta2, eps;

  explicit NAdam(const gt_settings& o)
      : Rule(o, "NAdam", 4), decay(wrapped(1 - o.lr * o.weight_decay)), beta2(wrapped(o.beta2)), eps(wrapped(o.eps)) {}

  void collect(Work& w, How how) override {
    collect_steps(w, STEP, how);
    collect_numbers(w, PRODUCT, 1, false);
    collect_state(w, AVG, Make::zeros);
    collect_state(w, SQUARE, Make::zeros);
  }

  // The factors by which a step multiplies the gradient and its mean, and the bias correction of
  // the mean of the squared gradient.
  struct Factors {
    double grad, avg, correction;
  };
  Factors factors(at::Tensor& steps, at::Tensor& products) const {
    const double step = count(steps), decay = o.momentum_decay;
    const double mu = o.beta1 * (1.0 - 0.5 * std::pow(0.96, step * decay));
    const double next = o.beta1 * (1.0 - 0.5 * std::pow(0.96, (step + 1) * decay));
    at::_ops::mul__Tensor::call(products, wrapped(mu));
    const double product = products.item<double>();
    return {-o.lr * (1.0 - mu) / (1.0 - product), -o.lr * next / (1.0 - product * next), 1 - std::pow(o.beta2, step)};
  }

  void prepare(One& x) override {
    const Factors f = factors(x.state[STEP], x.state[PRODUCT]);
    x.n[0] = f.grad;
    x.n[1] = f.avg;
    x.t[0] = wrapped(f.correction);
  }

  void update(One& x) const override {
    const at::Tensor grad = gradient(x, o.decoupled ? 0 : o.weight_decay);
    if (o.decoupled && o.weight_decay != 0) at::_ops::mul__Tensor::call(x.param, decay);
    at::_ops::lerp__Scalar::call(x.state[AVG], grad, 1 - o.beta1);
    at::_ops::mul__Tensor::call(x.state[SQUARE], beta2);
    at::_ops::addcmul_::call(x.state[SQUARE], grad, grad, 1 - o.beta2);
    at::Tensor denom = at::_ops::div_Tensor::call(x.state[SQUARE], x.t[0]);
    at::_ops::sqrt_::call(denom);
    at::_ops::add__Tensor::call(denom, eps, 1);
    at::_ops::addcdiv_::call(x.param, grad, denom, x.n[0]);
    at::_ops::addcdiv_::call(x.param, x.state[AVG], denom, x.n[1]);
  }

  void foreach(Work&, Batch& b) override {
    std::vector<c10::Scalar> by_grad, by_avg, roots;
    for (size_t i = 0; i < b.params.size(); i++) {
      const Factors f = factors(b.state[STEP][i], b.state[PRODUCT][i]);
      by_grad.emplace_back(f.grad);
      by_avg.emplace_back(f.avg);
      roots.emplace_back(std::pow(f.correction, 0.5));
    }
    if (o.decoupled && o.weight_decay != 0) at::_ops::_foreach_mul__Scalar::call(b.params, 1 - o.lr * o.weight_decay);
    gradients(b, o.decoupled ? 0 : o.weight_decay);
    at::_ops::_foreach_lerp__Scalar::call(b.state[AVG], b.grads, 1 - o.beta1);
    at::_ops::_foreach_mul__Scalar::call(b.state[SQUARE], o.beta2);
    at::_ops::_foreach_addcmul__Scalar::call(b.state[SQUARE], b.grads, b.grads, 1 - o.beta2);
    std::vector<at::Tensor> denom = at::_ops::_foreach_sqrt::call(b.state[SQUARE]);
    at::_ops::_foreach_div__ScalarList::call(denom, roots);
    at::_ops::_foreach_add__Scalar::call(denom, o.eps);
    at::_ops::_foreach_addcdiv__ScalarList::call(b.params, b.grads, denom, by_grad);
    at::_ops::_foreach_addcdiv__ScalarList::call(b.params, b.state[AVG], denom, by_avg);
  }
};

struct RAdam final : Rule {
  enum { STEP, AVG, SQUARE };

  const at::Tensor decay, beta2, eps, lr;

  explicit RAdam(const gt_settings& o)
      : Rule(o, "RAdam", 3), decay(wrapped(1 - o.lr * o.weight_decay)), beta2(wrapped(o.beta2)), eps(wrapped(o.eps)),
        lr(wrapped(o.lr)) {}

  void collect(Work& w, How how) override {
    collect_steps(w, STEP, how);
    collect_state(w, AVG, Make::zeros);
    collect_state(w, SQUARE, Make::zeros);
  }

  // The bias corrections of the two means, and RAdam's rectification, or 0 for the first steps without it.
  struct Factors {
    double correction1, root2, rect;
  };
  Factors factors(at::Tensor& steps) const {
    const double step = count(steps), power = std::pow(o.beta2, step), correction2 = 1 - power;
    const double inf = 2 / (1 - o.beta2) - 1, rho = inf - 2 * step * power / correction2;
    const double rect = rho > 5 ? std::pow((rho - 4) * (rho - 2) * inf / ((inf - 4) * (inf - 2) * rho), 0.5) : 0;
    return {1 - std::pow(o.beta1, step), std::pow(correction2, 0.5), rect};
  }

  void prepare(One& x) override {
    const Factors f = factors(x.state[STEP]);
    x.t[0] = wrapped(f.correction1);
    x.n[0] = f.rect;
    x.n[1] = f.root2;
  }

  void update(One& x) const override {
    const at::Tensor grad = gradient(x, o.decoupled ? 0 : o.weight_decay);
    if (o.decoupled && o.weight_decay != 0) at::_ops::mul__Tensor::call(x.param, decay);
    at::_ops::lerp__Scalar::call(x.state[AVG], grad, 1 - o.beta1);
    at::_ops::mul__Tensor::call(x.state[SQUARE], beta2);
    at::_ops::addcmul_::call(x.state[SQUARE], grad, grad, 1 - o.beta2);
    at::Tensor change = at::_ops::div_Tensor::call(x.state[AVG], x.t[0]);
    at::_ops::mul__Tensor::call(change, lr);
    if (x.n[0] != 0) {
      at::Tensor rate = at::_ops::sqrt::call(x.state[SQUARE]);
      at::_ops::add__Tensor::call(rate, eps, 1);
      at::_ops::reciprocal_::call(rate);
      at::_ops::mul__Tensor::call(rate, wrapped(x.n[1]));
      at::_ops::mul__Tensor::call(change, rate);
      at::_ops::mul__Tensor::call(change, wrapped(x.n[0]));
    }
    at::_ops::add__Tensor::call(x.param, change, -1);
  }

  void foreach(Work&, Batch& b) override {
    std::vector<c10::Scalar> plain, rectified;
    for (at::Tensor& s : b.state[STEP]) {
      const Factors f = factors(s);
      plain.emplace_back(-(o.lr * (f.rect > 0 ? 0 : 1.0) / f.correction1));
      rectified.emplace_back(f.root2 * (o.lr * f.rect / f.correction1) * -1);
    }
    if (o.decoupled && o.weight_decay != 0) at::_ops::_foreach_mul__Scalar::call(b.params, 1 - o.lr * o.weight_decay);
    gradients(b, o.decoupled ? 0 : o.weight_decay);
    at::_ops::_foreach_lerp__Scalar::call(b.state[AVG], b.grads, 1 - o.beta1);
    at::_ops::_foreach_mul__Scalar::call(b.state[SQUARE], o.beta2);
    at::_ops::_foreach_addcmul__Scalar::call(b.state[SQUARE], b.grads, b.grads, 1 - o.beta2);
    b.grads.clear();
    std::vector<at::Tensor> by = at::_ops::_foreach_sqrt::call(b.state[SQUARE]);
    at::_ops::_foreach_add__Scalar::call(by, o.eps);
    at::_ops::_foreach_div__ScalarList::call(by, rectified);
    at::_ops::_foreach_reciprocal_::call(by);
    at::_ops::_foreach_add__ScalarList::call(by, plain);
    at::_ops::_foreach_addcmul__Scalar::call(b.params, b.state[AVG], by, 1);
  }
};

// Changes only the elements for which the sparse gradient has values.
struct SparseAdam final : Rule {
  enum { STEP, AVG, SQUARE };

  explicit SparseAdam(const gt_settings& o) : Rule(o, "SparseAdam", 3) {
    sparse = true;
    elements = false;
  }

  bool has_foreach() const override { return false; }

  void collect(Work& w, How how) override {
    for (size_t i = 0; i < w.size(); i++) {
      TORCH_CHECK(w.grads[i].is_sparse(), "SparseAdam does not support dense gradients; use Adam");
      TORCH_CHECK_TYPE(!w.params[i].is_complex(), "SparseAdam does not support complex parameters");
    }
    collect_steps(w, STEP, how);
    collect_state(w, AVG, Make::zeros);
    collect_state(w, SQUARE, Make::zeros);
  }

  void prepare(One& x) override { x.n[0] = count(x.state[STEP]); }

  // Moves mean toward values, at the gradient's indices, by the factor `by`. Returns the
  // new mean there.
  static at::Tensor move(at::Tensor& mean, const at::Tensor& grad, at::Tensor values, double by) {
    const at::Tensor old = at::_ops::sparse_mask::call(mean, grad)._values();
    at::_ops::sub__Tensor::call(values, old, 1);
    at::_ops::mul__Tensor::call(values, wrapped(by));
    at::_ops::add__Tensor::call(mean, with_values(grad, values), 1);
    at::_ops::add__Tensor::call(values, old, 1);
    return values;
  }

  void update(One& x) const override {
    const at::Tensor grad = gradient(x, 0).coalesce(), values = grad._values();
    if (values.numel() == 0) return;
    at::Tensor numer = move(x.state[AVG], grad, values.clone(), 1 - o.beta1);
    at::Tensor denom = move(x.state[SQUARE], grad, at::_ops::pow_Tensor_Scalar::call(values, 2), 1 - o.beta2);
    at::_ops::sqrt_::call(denom);
    at::_ops::add__Scalar::call(denom, o.eps, 1);
    const double correction1 = 1 - std::pow(o.beta1, x.n[0]), correction2 = 1 - std::pow(o.beta2, x.n[0]);
    at::_ops::div__Tensor::call(numer, denom);
    at::_ops::mul__Tensor::call(numer, wrapped(-(o.lr * std::sqrt(correction2) / correction1)));
    at::_ops::add__Tensor::call(x.param, with_values(grad, numer), 1);
  }
};

GT_OPTIMIZER(Adamax, Adamax(o));
GT_OPTIMIZER(NAdam, NAdam(o));
GT_OPTIMIZER(RAdam, RAdam(o));
GT_OPTIMIZER(SparseAdam, SparseAdam(o));

}  // namespace

}  // namespace gt

#endif
