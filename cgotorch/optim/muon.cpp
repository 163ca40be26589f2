// Muon, which processes whole matrices, computed in the same way as in torch/optim.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "rule.hpp"

#include <ATen/ops/add_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/clamp_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/lerp_ops.h>
#include <ATen/ops/matmul_ops.h>
#include <ATen/ops/mul_ops.h>

#include <algorithm>
#include <cmath>

namespace gt {

namespace {

struct Muon final : Rule {
  enum { MOMENTUM };
  enum { A, B, C, STEPS, ADJUST };  // indices of o.own: ns_coefficients, ns_steps, 1 for match_rms_adamw

  explicit Muon(const gt_settings& o) : Rule(o, "Muon", 1) { elements = false; }

  bool has_foreach() const override { return false; }

  void collect(Work& w, How) override {
    for (const at::Tensor& p : w.params) {
      TORCH_CHECK_TYPE(!p.is_complex(), "Muon does not support complex parameters");
      TORCH_CHECK_VALUE(p.dim() == 2, "Muon takes matrices, got a parameter of shape ", p.sizes());
    }
    collect_state(w, MOMENTUM, Make::zeros);
  }

  // Approximates the orthogonal matrix nearest to grad with a few Newton-Schulz
  // iterations in bfloat16. A tall matrix is transposed first.
  at::Tensor orthogonal(const at::Tensor& grad) const {
    const bool tall = grad.size(0) > grad.size(1);
    at::Tensor x = grad.to(at::kBFloat16);
    if (tall) x = x.t();
    at::Tensor size = norm(x);
    at::_ops::clamp_::call(size, at::Scalar(o.eps), {});
    at::_ops::div__Tensor::call(x, size);
    for (int i = 0; i < o.own[STEPS]; i++) {
      const at::Tensor gram = at::_ops::matmul::call(x, x.t());
      const at::Tensor change = at::_ops::addmm::call(gram, gram, gram, o.own[B], o.own[C]);
      x = at::_ops::addmm::call(x, change, x, o.own[A], 1);
    }
    return tall ? x.t() : x;
  }

  void update(One& x) const override {
    const double a = x.param.size(0), b = x.param.size(1);
    const double ratio = o.own[ADJUST] == 0 ? std::sqrt(std::max(1.0, a / b)) : 0.2 * std::sqrt(std::max(a, b));
    at::_ops::lerp__Scalar::call(x.state[MOMENTUM], x.grad, 1 - o.momentum);
    at::Tensor update = x.state[MOMENTUM];
    if (o.nesterov) update = at::_ops::lerp_Scalar::call(x.grad, update, o.momentum);
    update = orthogonal(update);
    at::_ops::mul__Tensor::call(x.param, wrapped(1 - o.lr * o.weight_decay));
    at::_ops::add__Tensor::call(x.param, update, -(o.lr * ratio));
  }
};

GT_OPTIMIZER(Muon, Muon(o));

}  // namespace

}  // namespace gt

#endif
