#include "group.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_sub_ops.h>
#include <ATen/ops/_fused_adam_ops.h>
#include <ATen/ops/_fused_adamw_ops.h>
#include <ATen/ops/_fused_sgd_ops.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/empty_like_ops.h>
#include <ATen/ops/zeros_like_ops.h>
#include <ATen/ops/zeros_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/zero_ops.h>
#include <ATen/ops/view_as_real_ops.h>
#include <ATen/ops/to_ops.h>

using gt::as;
using gt::Batch;
using gt::Group;
using gt::Slot;

namespace {

at::Tensor like(const at::Tensor& p, bool zero) {
  return zero ? at::_ops::zeros_like::call(p, {}, {}, {}, {}, c10::MemoryFormat::Preserve)
              : at::_ops::empty_like::call(p, {}, {}, {}, {}, c10::MemoryFormat::Preserve);
}

at::Tensor clone(const at::Tensor& t) { return at::_ops::clone::call(t, {}); }

// PyTorch keeps steps in float32 whatever the parameters are.
at::Tensor new_step(const at::Tensor& p) {
  return at::_ops::zeros::call(std::vector<c10::SymInt>{}, at::kFloat, {}, p.device(), {});
}

at::Tensor real(const at::Tensor& t) {
  return t.is_complex() ? at::_ops::view_as_real::call(t) : t;
}

void check_grad(const at::Tensor& p, const at::Tensor& g) {
  TORCH_CHECK(g.layout() == at::kStrided,
              "the fused optimizers do not support sparse gradients");
  TORCH_CHECK_TYPE(g.scalar_type() == p.scalar_type(), "gradient of dtype ", g.scalar_type(),
                   " for a parameter of dtype ", p.scalar_type());
  TORCH_CHECK_VALUE(g.sizes() == p.sizes(), "gradient of size ", g.sizes(),
                    " for a parameter of size ", p.sizes());
  TORCH_CHECK_TYPE(at::isFloatingType(p.scalar_type()) || p.is_complex(),
                   "parameters must be floating-point or complex tensors, got dtype ",
                   p.scalar_type());
}

// Calls fn with batches that together hold every parameter with a gradient.
// Nearly always that is one batch. The lists are kept between calls, so that a
// step allocates nothing of its own.
template <class Prepare, class Fn>
void batches(Group& g, std::initializer_list<int> states, Prepare prepare, Fn fn) {
  thread_local std::vector<Batch> used;
  size_t n = 0;
  // Nothing may stay referenced, whatever happens.
  struct Clear {
    std::vector<Batch>& b;
    ~Clear() {
      for (auto& x : b) x.clear();
    }
  } clear{used};
  for (Slot& s : g.slots) {
    const at::Tensor& grad = s.param.grad();
    if (!grad.defined()) continue;
    check_grad(s.param, grad);
    const bool first = prepare(s);
    Batch* b = nullptr;
    for (size_t i = 0; i < n && !b; i++) {
      if (used[i].takes(s.param, first)) b = &used[i];
    }
    if (!b) {
      if (n == used.size()) used.emplace_back();
      b = &used[n++];
      b->first = first;
    }
    at::Tensor p = s.param;
    if (!p.is_non_overlapping_and_dense()) {
      p = at::_ops::clone::call(p, c10::MemoryFormat::Contiguous);
      b->copies.emplace_back(s.param, p);
    }
    at::Tensor d = grad;
    if (d.strides() != p.strides()) {  // the kernels walk memory, not indices
      d = like(p, false);
      at::_ops::copy_::call(d, grad, false);
    }
    b->params.push_back(real(p));
    b->grads.push_back(real(d));
    for (int i : states) {
      b->state[i].push_back(i == GT_STATE_STEP ? s.state[i] : real(s.state[i]));
    }
  }
  for (size_t i = 0; i < n; i++) {
    fn(used[i]);
    for (auto& [dst, src] : used[i].copies) at::_ops::copy_::call(dst, src, false);
  }
}

// Counts a step for every parameter with a gradient. Parameters that have gone
// the same number of steps share one tensor, so this is one addition as a rule.
void count_step(Group& g) {
  thread_local std::vector<at::Tensor> from, to;  // shared tensors and what follows each
  struct Clear {
    ~Clear() {
      from.clear();
      to.clear();
    }
  } clear;
  bool shared_with_idle = false;
  at::Tensor fresh;
  for (Slot& s : g.slots) {
    if (!s.param.grad().defined()) {
      shared_with_idle = shared_with_idle || s.state[GT_STATE_STEP].defined();
      continue;
    }
    at::Tensor& step = s.state[GT_STATE_STEP];
    if (!step.defined()) {
      if (!fresh.defined() || fresh.device() != s.param.device()) fresh = new_step(s.param);
      step = fresh;
    }
    bool seen = false;
    for (size_t i = from.size(); i-- > 0 && !seen;) seen = from[i].is_same(step);
    if (!seen) from.push_back(step);
  }
  for (const at::Tensor& t : from) {
    at::Tensor next = t;
    if (shared_with_idle) {
      for (const Slot& s : g.slots) {
        if (!s.param.grad().defined() && s.state[GT_STATE_STEP].is_same(t)) {
          next = clone(t);
          break;
        }
      }
    }
    if (next.is_cpu()) {
      *static_cast<float*>(next.mutable_data_ptr()) += 1;
    } else {
      at::_ops::add__Scalar::call(next, 1, 1);
    }
    to.push_back(std::move(next));
  }
  if (!shared_with_idle) return;
  for (Slot& s : g.slots) {
    if (!s.param.grad().defined()) continue;
    for (size_t i = 0; i < from.size(); i++) {
      if (s.state[GT_STATE_STEP].is_same(from[i])) {
        s.state[GT_STATE_STEP] = to[i];
        break;
      }
    }
  }
}

// A skipped step does not count.
void uncount(Batch& b, const std::optional<at::Tensor>& found_inf) {
  std::vector<at::Tensor> distinct;
  for (auto& t : b.state[GT_STATE_STEP]) {
    bool seen = false;
    for (auto& d : distinct) seen = seen || d.is_same(t);
    if (!seen) distinct.push_back(t);
  }
  std::vector<at::Tensor> by(distinct.size(), found_inf->reshape({}));
  at::_ops::_foreach_sub__List::call(distinct, by, 1);
}

std::optional<at::Tensor> optional(gt_tensor t) {
  if (!t) return std::nullopt;
  return as(t);
}

}  // namespace

extern "C" {

gt_group_ret gt_group_new(const gt_tensor* params, int64_t n) {
  try {
    auto g = std::make_unique<Group>();
    g->slots.resize(n);
    for (int64_t i = 0; i < n; i++) g->slots[i].param = as(params[i]);
    return {reinterpret_cast<gt_group>(g.release()), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

void gt_group_free(gt_group g) { delete reinterpret_cast<Group*>(g); }

uintptr_t gt_group_adam(gt_ctx ctx, gt_group handle, const gt_adam* o, gt_tensor grad_scale,
                        gt_tensor found_inf) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    Group& g = gt::group(handle);
    const auto scale = optional(grad_scale), inf = optional(found_inf);
    const bool amsgrad = o->amsgrad;
    const auto prepare = [&](Slot& s) {
      for (int i : {GT_STATE_AVG, GT_STATE_SQUARE}) {
        if (!s.state[i].defined()) s.state[i] = like(s.param, true);
      }
      if (amsgrad && !s.state[GT_STATE_MAX_SQUARE].defined()) {
        s.state[GT_STATE_MAX_SQUARE] = like(s.param, true);
      }
      return false;
    };
    const auto kernel = [&](Batch& b) {
      (o->decoupled ? at::_ops::_fused_adamw_::call : at::_ops::_fused_adam_::call)(
          b.params, b.grads, b.state[GT_STATE_AVG], b.state[GT_STATE_SQUARE],
          b.state[GT_STATE_MAX_SQUARE], b.state[GT_STATE_STEP], o->lr, o->beta1, o->beta2,
          o->weight_decay, o->eps, amsgrad, o->maximize, scale, inf);
      if (inf) uncount(b, inf);
    };
    // Checked before anything changes.
    for (const Slot& s : g.slots) {
      if (s.param.grad().defined()) check_grad(s.param, s.param.grad());
    }
    count_step(g);
    if (amsgrad) {
      batches(g, {GT_STATE_AVG, GT_STATE_SQUARE, GT_STATE_MAX_SQUARE, GT_STATE_STEP}, prepare, kernel);
    } else {
      batches(g, {GT_STATE_AVG, GT_STATE_SQUARE, GT_STATE_STEP}, prepare, kernel);
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_group_sgd(gt_ctx ctx, gt_group handle, const gt_sgd* o, gt_tensor grad_scale,
                       gt_tensor found_inf) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    Group& g = gt::group(handle);
    const auto scale = optional(grad_scale), inf = optional(found_inf);
    const bool momentum = o->momentum != 0;
    const auto prepare = [&](Slot& s) {
      if (!momentum || s.state[GT_STATE_MOMENTUM].defined()) return false;
      s.state[GT_STATE_MOMENTUM] = like(s.param, false);
      return true;
    };
    const auto kernel = [&](Batch& b) {
      at::_ops::_fused_sgd_::call(b.params, b.grads, b.state[GT_STATE_MOMENTUM], o->weight_decay,
                                  o->momentum, o->lr, o->dampening, o->nesterov, o->maximize,
                                  b.first, scale, inf);
    };
    if (momentum) {
      batches(g, {GT_STATE_MOMENTUM}, prepare, kernel);
    } else {
      batches(g, {}, prepare, kernel);
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_group_zero_grad(gt_ctx ctx, gt_group handle, int set_to_none) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    for (Slot& s : gt::group(handle).slots) {
      at::Tensor& grad = s.param.mutable_grad();
      if (!grad.defined()) continue;
      if (set_to_none) {
        grad.reset();
      } else {
        if (grad.grad_fn()) grad = grad.detach();
        grad.requires_grad_(false);
        at::_ops::zero_::call(grad);
      }
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

gt_ret gt_group_state(gt_ctx ctx, gt_group handle, int64_t param, int which) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    const at::Tensor& t = gt::group(handle).slots.at(param).state[which];
    if (!t.defined()) return {0, 0};
    return {gt::release(which == GT_STATE_STEP ? clone(t) : t), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

uintptr_t gt_group_set_state(gt_ctx ctx, gt_group handle, int64_t param, int which, gt_tensor t) {
  try {
    gt::enter(ctx);
    at::NoGradGuard no_grad;
    Slot& s = gt::group(handle).slots.at(param);
    if (!t) {
      s.state[which].reset();
      return 0;
    }
    const at::Tensor& from = as(t);
    at::Tensor to;
    if (which == GT_STATE_STEP) {
      TORCH_CHECK_VALUE(from.numel() == 1, "a step count has one element, got size ", from.sizes());
      to = new_step(s.param);
    } else {
      TORCH_CHECK_VALUE(from.sizes() == s.param.sizes(), "state of size ", from.sizes(),
                        " for a parameter of size ", s.param.sizes());
      to = like(s.param, false);
    }
    at::_ops::copy_::call(to, from.reshape(to.sizes()), false);
    s.state[which] = std::move(to);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // extern "C"
