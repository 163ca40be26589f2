// Adafactor, which processes whole matrices, computed in the same way as in torch/optim.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "rule.hpp"

#include <ATen/ops/add_ops.h>
#include <ATen/ops/clamp_ops.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/lerp_ops.h>
#include <ATen/ops/linalg_vector_norm_ops.h>
#include <ATen/ops/matmul_ops.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/rsqrt_ops.h>
#include <ATen/ops/square_ops.h>
#include <ATen/ops/zeros_like_ops.h>
#include <ATen/ops/zeros_ops.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gt {

namespace {

// Returns the mean of the squares along dimension dim, which is kept with size 1.
at::Tensor mean_square(const at::Tensor& t, int64_t dim) {
  at::Tensor n = at::_ops::linalg_vector_norm::call(t, 2, at::IntArrayRef(dim), true, {});
  at::_ops::square_::call(n);
  at::_ops::div__Scalar::call(n, t.size(dim));
  return n;
}

double epsilon(at::ScalarType t) {
  switch (t) {
    case at::kDouble: return std::numeric_limits<double>::epsilon();
    case at::kHalf: return std::numeric_limits<at::Half>::epsilon();
    case at::kBFloat16: return std::numeric_limits<at::BFloat16>::epsilon();
    default: return std::numeric_limits<float>::epsilon();
  }
}

struct Adafactor final : Rule {
  enum { STEP, ROW, COLUMN, VARIANCE };

  double eps1;
  const bool all_at_once;

  Adafactor(const gt_settings& o, const gt_how& how)
      : Rule(o, "Adafactor", 4), eps1(o.eps1), all_at_once(how.foreach > 0) {
    elements = false;
  }

  // Adafactor processes the parameters one at a time even with foreach, because a batch
  // would have to wait for scalars of each parameter. With foreach, only the scaling of
  // the update differs.
  bool has_foreach() const override { return false; }

  void collect(Work& w, How) override {
    for (const at::Tensor& p : w.params)
      TORCH_CHECK_TYPE(!p.is_complex(), "Adafactor does not support complex parameters");
    collect_steps(w, STEP, How::single);
    if (std::isnan(eps1)) eps1 = epsilon(w.params.front().scalar_type());  // the first parameter's, as in Python
    for (size_t i = 0; i < w.size(); i++) {
      const at::Tensor& g = w.grads[i];
      const bool matrix = g.dim() > 1;
      for (int k : {ROW, COLUMN, VARIANCE}) {
        if (matrix != (k != VARIANCE)) {
          w.state[k].emplace_back();
          continue;
        }
        std::vector<int64_t> shape = g.sizes().vec();
        if (k == ROW) shape.back() = 1;
        if (k == COLUMN) shape[shape.size() - 2] = 1;
        at::Tensor had = as(w.group.state[w.index[i] * w.states + k]);
        if (had.defined()) {
          check_writable(had, "the optimizer's state");
          TORCH_CHECK_VALUE(had.layout() == at::kStrided && had.sizes() == shape,
                            "the optimizer's state has the shape ", had.sizes(), ", expected ", at::IntArrayRef(shape));
          TORCH_CHECK_TYPE(had.scalar_type() == g.scalar_type(), "the optimizer's state is ", had.scalar_type(),
                           " and the gradient ", g.scalar_type());
          TORCH_CHECK(had.device() == g.device(), "the optimizer's state is on ", had.device(), " and the gradient on ",
                      g.device());
        } else if (matrix) {
          had = at::_ops::zeros::call(c10::fromIntArrayRefSlow(shape), g.scalar_type(), {}, g.device(), {});
        } else {
          had = at::_ops::zeros_like::call(g, {}, {}, {}, {}, c10::MemoryFormat::Preserve);
        }
        w.state[k].push_back(std::move(had));
      }
    }
  }

  void prepare(One& x) override { x.n[0] = count(x.state[STEP]); }

  void update(One& x) const override {
    const double part = std::pow(x.n[0], o.beta2_decay), rho = std::min(o.lr, 1 / std::pow(x.n[0], 0.5));
    const double elements = std::pow(double(x.param.numel()), 0.5);
    const double alpha = std::max(o.eps, norm(x.param).item<double>() / elements) * rho;
    if (o.weight_decay != 0) at::_ops::mul__Tensor::call(x.param, wrapped(1 - o.lr * o.weight_decay));
    const at::Tensor grad = gradient(x, 0);
    at::Tensor update;
    if (grad.dim() > 1) {
      at::_ops::lerp__Scalar::call(x.state[ROW], mean_square(grad, -1), part);
      at::_ops::lerp__Scalar::call(x.state[COLUMN], mean_square(grad, -2), part);
      update = at::_ops::matmul::call(x.state[ROW], x.state[COLUMN]);
      at::Tensor rows = at::_ops::mean_dim::call(x.state[ROW], at::IntArrayRef(-2), true, {});
      at::_ops::clamp_::call(rows, at::Scalar(eps1), {});
      at::_ops::div__Tensor::call(update, rows);
    } else {
      at::_ops::lerp__Scalar::call(x.state[VARIANCE], at::_ops::mul_Tensor::call(grad, grad), part);
      update = at::_ops::clone::call(x.state[VARIANCE], {});
    }
    at::_ops::clamp_::call(update, at::Scalar(eps1 * eps1), {});
    at::_ops::rsqrt_::call(update);
    at::_ops::mul__Tensor::call(update, grad);
    const double by =
        -alpha / std::max(1.0, norm(update).item<double>() / (std::pow(double(update.numel()), 0.5) * o.d));
    if (!all_at_once) {
      at::_ops::add__Tensor::call(x.param, update, by);
      return;
    }
    at::_ops::mul__Scalar::call(update, by);
    at::_ops::add__Tensor::call(x.param, update, 1);
  }
};

GT_OPTIMIZER(Adafactor, Adafactor(o, how));

}  // namespace

}  // namespace gt

#endif
