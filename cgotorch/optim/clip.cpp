#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "../capturing.hpp"
#include "../abi.hpp"
#include "optim.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_clamp_max_ops.h>
#include <ATen/ops/_foreach_clamp_min_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_norm_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/clamp_max_ops.h>
#include <ATen/ops/clamp_ops.h>
#include <ATen/ops/isfinite_ops.h>
#include <ATen/ops/linalg_vector_norm_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/stack_ops.h>
#include <ATen/ops/to_ops.h>
#include <ATen/ops/zeros_ops.h>

#include <vector>

using gt::as;

namespace {

// Returns the gradients, grouped by device and dtype.
std::vector<std::vector<at::Tensor>> gradients(const gt_tensor* params, int64_t n) {
  std::vector<std::vector<at::Tensor>> lists;
  for (int64_t i = 0; i < n; i++) {
    gt::gradient_is(gt::Gradient::read, as(params[i]));
    const at::Tensor& g = as(params[i]).grad();
    if (!g.defined()) continue;
    std::vector<at::Tensor>* to = nullptr;
    for (auto& l : lists) {
      if (l[0].device() == g.device() && l[0].scalar_type() == g.scalar_type()) to = &l;
    }
    if (!to) to = &lists.emplace_back();
    to->push_back(g);
  }
  return lists;
}

at::Tensor to_device(const at::Tensor& t, const at::Tensor& of) {
  if (t.device() == of.device()) return t;
  return at::_ops::to_device::call(t, of.device(), t.scalar_type(), false, false, {});
}

// Returns the scale in a form that can be multiplied with gradients like g without a
// conversion. For 16-bit gradients on the CPU, the kernels use the scale before it is
// rounded.
at::Tensor factor_of(const at::Tensor& scale, const at::Tensor& g) {
  const at::Tensor there = to_device(scale, g);
  return at::isReducedFloatingType(g.scalar_type()) ? there : there.to(g.scalar_type());
}

// Returns the total norm. With foreach, one kernel processes many tensors; otherwise each
// tensor needs one kernel.
at::Tensor norm_of(const std::vector<std::vector<at::Tensor>>& lists, double type, bool foreach) {
  if (lists.empty()) return at::_ops::zeros::call(std::vector<c10::SymInt>{}, {}, {}, {}, {});
  std::vector<at::Tensor> norms;
  for (const auto& l : lists) {
    if (foreach) {
      for (auto& t : at::_ops::_foreach_norm_Scalar::call(l, type, {})) {
        norms.push_back(to_device(t, lists[0][0]));
      }
      continue;
    }
    for (const auto& t : l) {
      norms.push_back(to_device(at::_ops::linalg_vector_norm::call(t, type, {}, false, {}), lists[0][0]));
    }
  }
  return at::_ops::linalg_vector_norm::call(at::_ops::stack::call(norms, 0), type, {}, false, {});
}

void check_finite(const at::Tensor& total, double norm_type) {
  TORCH_CHECK_VALUE(at::_ops::isfinite::call(total).item<bool>(), "the total norm of order ",
                    norm_type, " of the gradients is not finite, so it cannot be clipped");
}

}  // namespace

extern "C" {

gt_ret gt_grad_norm(gt_ctx ctx, const gt_tensor* params, int64_t n, double norm_type,
                    int error_if_nonfinite, int foreach) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    at::Tensor total = norm_of(gradients(params, n), norm_type, foreach != 0);
    if (error_if_nonfinite) check_finite(total, norm_type);
    return {gt::release(std::move(total)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

gt_ret gt_clip_grad_norm(gt_ctx ctx, const gt_tensor* params, int64_t n, double max_norm,
                         double norm_type, int error_if_nonfinite, int foreach) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    const auto lists = gradients(params, n);
    at::Tensor total = norm_of(lists, norm_type, foreach != 0);
    if (error_if_nonfinite) check_finite(total, norm_type);
    // min(max_norm / (total + 1e-6), 1), computed on the device so that nothing waits for it.
    at::Tensor scale = at::_ops::mul_Scalar::call(
        at::_ops::reciprocal::call(at::_ops::add_Scalar::call(total, 1e-6, 1)), max_norm);
    scale = at::_ops::clamp_max::call(scale, 1.0);
    std::vector<at::Tensor> factors;  // They need memory, so compute all of them before a gradient changes.
    for (const auto& l : lists) factors.push_back(factor_of(scale, l[0]));
    for (size_t i = 0; i < lists.size(); i++) {
      if (foreach) {
        at::_ops::_foreach_mul__Tensor::call(lists[i], factors[i]);
        continue;
      }
      for (auto t : lists[i]) at::_ops::mul__Tensor::call(t, factors[i]);
    }
    return {gt::release(std::move(total)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

uintptr_t gt_clip_grad_value(gt_ctx ctx, const gt_tensor* params, int64_t n, double limit,
                            int foreach) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    for (const auto& l : gradients(params, n)) {
      if (!foreach) {
        for (auto t : l) at::_ops::clamp_::call(t, at::Scalar(-limit), at::Scalar(limit));
        continue;
      }
      at::_ops::_foreach_clamp_min__Scalar::call(l, -limit);
      at::_ops::_foreach_clamp_max__Scalar::call(l, limit);
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // extern "C"

#endif
