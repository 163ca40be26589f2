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
using gt::Count;
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

at::Tensor real(at::Tensor t) {
  return t.is_complex() ? at::_ops::view_as_real::call(t) : std::move(t);
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

void check_state(const at::Tensor& p, const at::Tensor& state) {
  TORCH_CHECK_TYPE(state.scalar_type() == p.scalar_type(), "the optimizer's state is ", state.scalar_type(),
                   " and the parameter ", p.scalar_type(), ": it was converted after the optimizer began");
  TORCH_CHECK(state.device() == p.device(), "the optimizer's state is on ", state.device(), " and the parameter on ",
              p.device(), ": it was moved after the optimizer began");
  TORCH_CHECK_VALUE(state.sizes() == p.sizes(), "the optimizer's state has the shape ", state.sizes(),
                    " and the parameter ", p.sizes());
}

// A step consists of what may fail, which changes nothing of the group
// (plan_counts, collect), and of what changes it (count_step, run). Whatever
// happens, nothing stays referenced.
struct Step {
  Group& g;
  explicit Step(Group& group) : g(group) {}
  ~Step() {
    for (size_t i = 0; i < g.used; i++) g.batches[i].clear();
    g.used = 0;
    g.counts.clear();
  }
};

// Finds out what count_step will do and makes the tensors for it. Parameters
// that have gone the same number of steps share one, so there is one as a rule.
void plan_counts(Group& g) {
  bool resting = false;  // some parameter without a gradient has a count
  for (Slot& s : g.slots) {
    const at::Tensor& step = s.state[GT_STATE_STEP];
    if (!s.param.grad().defined()) {
      resting = resting || step.defined();
      continue;
    }
    const auto same = [&](const Count& c) {
      return c.from.is_same(step) && (step.defined() || c.to.device() == s.param.device());
    };
    size_t i = g.counts.size();
    while (i > 0 && !same(g.counts[i - 1])) i--;
    if (i == 0) {
      g.counts.push_back({step, step.defined() ? step : new_step(s.param)});
      i = g.counts.size();
    }
    s.count = i - 1;
  }
  if (!resting) return;
  for (Count& c : g.counts) {
    if (!c.from.defined()) continue;
    for (const Slot& s : g.slots) {
      if (!s.param.grad().defined() && s.state[GT_STATE_STEP].is_same(c.from)) {
        c.to = clone(c.from);
        break;
      }
    }
  }
}

// Counts the step for every parameter with a gradient.
void count_step(Group& g) {
  for (Count& c : g.counts) {
    if (c.to.is_cpu()) {
      *static_cast<float*>(c.to.mutable_data_ptr()) += 1;
    } else {
      at::_ops::add__Scalar::call(c.to, 1, 1);
    }
  }
  for (Slot& s : g.slots) {
    if (!s.param.grad().defined()) continue;
    at::Tensor& step = s.state[GT_STATE_STEP];
    if (!step.is_same(g.counts[s.count].to)) step = g.counts[s.count].to;
  }
}

// A skipped step does not count.
void uncount_step(Group& g, const at::Tensor& found_inf) {
  std::vector<at::Tensor> counts;
  for (const Count& c : g.counts) counts.push_back(c.to);
  std::vector<at::Tensor> by(counts.size(), found_inf.reshape({}));
  at::_ops::_foreach_sub__List::call(counts, by, 1);
}

// Sorts every parameter with a gradient into batches, nearly always into one,
// with the state that the kernel needs. Missing state is made: of zeros, or
// where the first kernel fills it, of anything.
void collect(Group& g, std::initializer_list<int> states, bool zeros) {
  for (Slot& s : g.slots) {
    const at::Tensor& grad = s.param.grad();
    if (!grad.defined()) continue;
    check_grad(s.param, grad);
    bool missing = false;
    for (int i : states) missing = missing || (i != GT_STATE_STEP && !s.state[i].defined());
    const bool first = missing && !zeros;
    Batch* b = nullptr;
    for (size_t i = 0; i < g.used && !b; i++) {
      if (g.batches[i].takes(s.param, first)) b = &g.batches[i];
    }
    if (!b) {
      if (g.used == g.batches.size()) g.batches.emplace_back();
      b = &g.batches[g.used++];
      b->first = first;
    }
    at::Tensor p = s.param;
    if (!p.is_non_overlapping_and_dense()) {  // laid out as its state
      p = at::_ops::clone::call(p, c10::MemoryFormat::Preserve);
      b->copies.emplace_back(s.param, p);
    }
    at::Tensor d = grad;
    if (d.strides() != p.strides()) {  // the kernels walk memory, not indices
      d = like(p, false);
      at::_ops::copy_::call(d, grad, false);
    }
    b->params.push_back(real(p));
    b->grads.push_back(real(std::move(d)));
    for (int i : states) {
      if (i == GT_STATE_STEP) {
        b->state[i].push_back(g.counts[s.count].to);
      } else if (const at::Tensor& state = s.state[i]; state.defined()) {
        check_state(p, state);
        if (state.strides() == p.strides()) {
          b->state[i].push_back(real(state));
          continue;
        }
        // The parameter has got another memory format, and kernels walk memory.
        at::Tensor moved = like(p, false);
        at::_ops::copy_::call(moved, state, false);
        b->state[i].push_back(real(moved));
        b->fresh.emplace_back(&s.state[i], std::move(moved));
      } else {
        at::Tensor made = like(s.param, zeros);
        b->state[i].push_back(real(made));
        b->fresh.emplace_back(&s.state[i], std::move(made));
      }
    }
  }
}

// Calls fn, which calls the kernel, with each batch.
template <class Fn>
void run(Group& g, Fn fn) {
  for (size_t i = 0; i < g.used; i++) {
    Batch& b = g.batches[i];
    fn(b);
    for (auto& [slot, made] : b.fresh) *slot = std::move(made);
    for (auto& [dst, src] : b.copies) at::_ops::copy_::call(dst, src, false);
  }
}

// A tensor of a gradient scaler's.
std::optional<at::Tensor> one_number(const char* name, gt_tensor t) {
  if (!t) return std::nullopt;
  const at::Tensor& x = as(t);
  TORCH_CHECK_VALUE(x.numel() == 1, name, " has to be one number, got the shape ", x.sizes());
  TORCH_CHECK_TYPE(x.scalar_type() == at::kFloat, name, " has to be a float32, got ", x.scalar_type());
  return x;
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
    const auto scale = one_number("grad_scale", grad_scale), inf = one_number("found_inf", found_inf);
    const bool amsgrad = o->amsgrad;
    Step step(g);
    plan_counts(g);
    if (amsgrad) {
      collect(g, {GT_STATE_AVG, GT_STATE_SQUARE, GT_STATE_MAX_SQUARE, GT_STATE_STEP}, true);
    } else {
      collect(g, {GT_STATE_AVG, GT_STATE_SQUARE, GT_STATE_STEP}, true);
    }
    count_step(g);
    run(g, [&](Batch& b) {
      (o->decoupled ? at::_ops::_fused_adamw_::call : at::_ops::_fused_adam_::call)(
          b.params, b.grads, b.state[GT_STATE_AVG], b.state[GT_STATE_SQUARE],
          b.state[GT_STATE_MAX_SQUARE], b.state[GT_STATE_STEP], o->lr, o->beta1, o->beta2,
          o->weight_decay, o->eps, amsgrad, o->maximize, scale, inf);
    });
    if (inf) uncount_step(g, *inf);
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
    const auto scale = one_number("grad_scale", grad_scale), inf = one_number("found_inf", found_inf);
    const bool momentum = o->momentum != 0;
    Step step(g);
    if (momentum) {
      collect(g, {GT_STATE_MOMENTUM}, false);
    } else {
      collect(g, {}, false);
    }
    if (inf) {
      // A kernel that skips the step leaves a fresh buffer as it is, so there
      // must be none then. Only steps that make one wait for the answer.
      for (size_t i = 0; i < g.used; i++) {
        if (!g.batches[i].first) continue;
        if (inf->item<float>() == 1) return 0;
        break;
      }
    }
    run(g, [&](Batch& b) {
      at::_ops::_fused_sgd_::call(b.params, b.grads, b.state[GT_STATE_MOMENTUM], o->weight_decay,
                                  o->momentum, o->lr, o->dampening, o->nesterov, o->maximize,
                                  b.first, scale, inf);
    });
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
