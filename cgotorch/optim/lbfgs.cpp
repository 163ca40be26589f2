// The parts of L-BFGS that process all parameters or the
// whole history, computed as in torch/optim/lbfgs.py.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "step.hpp"

#include <ATen/core/IListRef.h>
#include <ATen/core/IListRef_inl.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/dot_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/view_as_real_ops.h>
#include <ATen/ops/zeros_ops.h>

namespace {

// Multiplies two numbers that Python keeps in tensors of this dtype. In double, the product of two
// float32 numbers is exact, so rounding it once gives the float32 product.
double times(double a, double b, at::ScalarType type) {
  return type == at::kDouble ? a * b : double(float(float(a) * float(b)));
}

at::Tensor real(const at::Tensor& t) { return t.is_complex() ? at::_ops::view_as_real::call(t.resolve_conj()) : t; }

}  // namespace

extern "C" {

gt_ret gt_flat_grad(gt_ctx ctx, const gt_tensor* params, int64_t n) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    std::vector<at::Tensor> views;
    for (int64_t i = 0; i < n; i++) {
      const at::Tensor &p = as(params[i]), &g = p.grad();
      if (!g.defined()) {
        const int64_t elements = p.numel() * (p.is_complex() ? 2 : 1);
        views.push_back(
            at::_ops::zeros::call({c10::SymInt(elements)}, c10::toRealValueType(p.scalar_type()), {}, p.device(), {}));
        continue;
      }
      views.push_back(real(g.is_sparse() ? g.to_dense() : g).reshape({-1}));
    }
    return {gt::release(at::_ops::cat::call(at::ITensorListRef(views), 0)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

uintptr_t gt_add_flat(gt_ctx ctx, const gt_tensor* params, int64_t n, gt_tensor update, double step) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    for (int64_t i = 0; i < n; i++) gt::check_writable(as(params[i]), "a parameter");
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
      at::Tensor p = real(as(params[i]));
      at::_ops::add__Tensor::call(p, as(update).narrow(0, at, p.numel()).view(p.sizes()), step);
      at += p.numel();
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_save_params(gt_ctx ctx, const gt_tensor* params, int64_t n, gt_tensor* to) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    std::vector<at::Tensor> copies;
    for (int64_t i = 0; i < n; i++)
      copies.push_back(at::_ops::clone::call(as(params[i]), c10::MemoryFormat::Contiguous));
    for (int64_t i = 0; i < n; i++) to[i] = gt::release(std::move(copies[i]));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_restore_params(gt_ctx ctx, const gt_tensor* params, int64_t n, const gt_tensor* from) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    for (int64_t i = 0; i < n; i++) {
      at::Tensor p = as(params[i]);
      at::_ops::copy_::call(p, as(from[i]), false);
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

gt_ret gt_lbfgs_direction(gt_ctx ctx, gt_tensor grad, const gt_tensor* changes, const gt_tensor* steps,
                          const double* ro, int64_t n, double diagonal) {
  try {
    gt::enter(ctx);
    gt::Quiet quiet;
    const at::ScalarType type = as(grad).scalar_type();
    const auto dot = [](gt_tensor a, const at::Tensor& b) { return at::_ops::dot::call(gt::as(a), b).item<double>(); };
    std::vector<double> al(n);
    at::Tensor q = at::_ops::neg::call(as(grad));
    for (int64_t i = n - 1; i >= 0; i--) {
      al[i] = times(dot(steps[i], q), ro[i], type);
      at::_ops::add__Tensor::call(q, as(changes[i]), -al[i]);
    }
    at::_ops::mul__Tensor::call(q, gt::wrapped(diagonal));
    for (int64_t i = 0; i < n; i++) {
      const double be = times(dot(changes[i], q), ro[i], type), by = al[i] - be;
      at::_ops::add__Tensor::call(q, as(steps[i]), type == at::kDouble ? by : double(float(by)));
    }
    return {gt::release(std::move(q)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

}  // extern "C"

#endif
