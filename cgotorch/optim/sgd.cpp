// SGD as torch/optim/sgd.py computes it: the same operators in the same order.
#ifdef GOTORCH_TOGETHER  // compiled by together.cpp

#include "step.hpp"

#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_neg_ops.h>
#include <ATen/ops/_fused_sgd_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/neg_ops.h>

using gt::Batch;
using gt::How;
using gt::Work;

namespace {

// The momentum of a first step is the gradient itself.
at::Tensor begin(Work& w, size_t i, const at::Tensor& grad) {
  at::Tensor& buf = w.state[GT_SGD_MOMENTUM][i];
  if (grad.is_sparse()) {
    buf = at::_ops::clone::call(grad, {});
  } else {
    at::_ops::copy_::call(buf, grad, false);
  }
  return buf;
}

void single(Work& w, size_t i, const gt_sgd& o) {
  at::Tensor param = w.params[i], grad = w.grads[i];
  if (o.maximize) grad = at::_ops::neg::call(grad);
  if (o.weight_decay != 0) grad = at::_ops::add_Tensor::call(grad, param, o.weight_decay);
  if (o.momentum != 0) {
    at::Tensor buf;
    if (w.first[i]) {
      buf = begin(w, i, grad);
    } else {
      buf = w.state[GT_SGD_MOMENTUM][i];
      at::_ops::mul__Scalar::call(buf, o.momentum);
      at::_ops::add__Tensor::call(buf, grad, 1 - o.dampening);
    }
    grad = o.nesterov ? at::_ops::add_Tensor::call(grad, buf, o.momentum) : buf;
  }
  at::_ops::add__Tensor::call(param, grad, -o.lr);
}

// A step of parameters of which either all or none have a momentum. Python adds
// Nesterov's momentum to the gradients in place; here they stay as they are.
void foreach(Work& w, Batch& b, const gt_sgd& o) {
  std::vector<at::Tensor>& grads = b.grads;
  bool sparse = false;
  for (const at::Tensor& g : grads) sparse = sparse || g.is_sparse();
  if (sparse) {  // these operators do not know of it
    for (size_t i : b.at) single(w, i, o);
    return;
  }
  if (o.maximize) grads = at::_ops::_foreach_neg::call(grads);
  if (o.weight_decay != 0) {
    if (o.maximize) {
      at::_ops::_foreach_add__List::call(grads, b.params, o.weight_decay);
    } else {
      grads = at::_ops::_foreach_add_List::call(grads, b.params, o.weight_decay);
    }
  }
  if (o.momentum != 0) {
    std::vector<at::Tensor>& bufs = b.state[GT_SGD_MOMENTUM];
    if (b.first) {
      for (size_t i = 0; i < bufs.size(); i++) begin(w, b.at[i], grads[i]);
    } else {
      at::_ops::_foreach_mul__Scalar::call(bufs, o.momentum);
      at::_ops::_foreach_add__List::call(bufs, grads, 1 - o.dampening);
    }
    grads = o.nesterov ? at::_ops::_foreach_add_List::call(grads, bufs, o.momentum) : bufs;
  }
  at::_ops::_foreach_add__List::call(b.params, grads, -o.lr);
}

void fused(Batch& b, const gt_sgd& o, const std::optional<at::Tensor>& scale, const std::optional<at::Tensor>& inf) {
  const auto to = [&](const std::optional<at::Tensor>& t) {
    return t ? std::optional<at::Tensor>(t->to(b.params.front().device())) : std::nullopt;
  };
  at::_ops::_fused_sgd_::call(b.params, b.grads, b.state[GT_SGD_MOMENTUM], o.weight_decay, o.momentum, o.lr,
                              o.dampening, o.nesterov, o.maximize, b.first, to(scale), to(inf));
  for (auto& [dst, src] : b.copies) at::_ops::copy_::call(dst, src, false);
}

}  // namespace

extern "C" uintptr_t gt_sgd_step(gt_ctx ctx, const gt_tensor* params, gt_tensor* state, int64_t n,
                                   const gt_sgd* o, const gt_how* how) {
  try {
    gt::enter(ctx);
    gt::Quiet quiet;
    const auto scale = gt::one_number("grad_scale", how->grad_scale), inf = gt::one_number("found_inf", how->found_inf);
    gt::Step step({params, state, n}, GT_SGD_STATES);
    Work& w = step.work;
    gt::list(w);
    if (w.size() == 0) return 0;
    const How chosen = gt::choose(w, *how);
    gt::check(w, "SGD", chosen, true);
    const bool momentum = o->momentum != 0;
    bool first = false;
    for (size_t i = 0; i < w.size(); i++) {
      if (!momentum) w.first[i] = false;
      first = first || w.first[i];
      if (!w.grads[i].is_sparse()) continue;
      TORCH_CHECK(o->weight_decay == 0, "SGD with weight_decay does not support sparse gradients");
      const at::Tensor& buf = gt::as(state[w.index[i]]);
      TORCH_CHECK(!momentum || !buf.defined() || buf.is_sparse(),
                  "the gradient is sparse, but the momentum of the steps before is not");
    }
    // A fused kernel that skips the step leaves a fresh buffer as it is, so
    // there must be none then. Only steps that make one wait for the answer.
    if (inf && (chosen != How::fused || first) && inf->item<float>() == 1) return 0;
    if (momentum) gt::collect_state(w, GT_SGD_MOMENTUM, false);
    if (scale && chosen != How::fused) gt::unscale(w, *scale);
    if (chosen == How::single) {
      for (size_t i = 0; i < w.size(); i++) {
        single(w, i, *o);
        w.keep(i);
      }
    } else {
      for (Batch& b : gt::batches(w, chosen)) {
        chosen == How::fused ? fused(b, *o, scale, inf) : foreach(w, b, *o);
        for (size_t i : b.at) w.keep(i);
      }
    }
    for (size_t i = 0; i < w.size(); i++) {
      gt::wrote(w.params[i]);
      if (momentum) gt::wrote(w.state[GT_SGD_MOMENTUM][i]);
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

#endif
