#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "functorch.h"

#include "abi.hpp"
#include "checkpoints.hpp"

#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <ATen/functorch/PlumbingHelper.h>
#include <ATen/functorch/TensorWrapper.h>
#include <ATen/ops/_make_dual.h>
#include <ATen/ops/_unpack_dual.h>
#include <ATen/ops/movedim.h>
#include <torch/csrc/autograd/forward_grad.h>

#include <mutex>

using gt::as;
namespace ft = at::functorch;

namespace {

// libtorch has one process-wide forward-mode level, which all threads share here. A
// tangent belongs to the transform in whose layer its tensor is wrapped. Freeing a tensor
// frees its tangent. A tensor that outlives its layer is a wrapper that is no longer
// read.
class ForwardLevel {
 public:
  void enter() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (users_ == 0) torch::autograd::ForwardADLevel::get_next_idx();
    users_++;
  }
  void leave() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--users_ == 0) torch::autograd::ForwardADLevel::release_idx(kIndex);
  }
  static constexpr int64_t kIndex = 0;

 private:
  std::mutex mutex_;
  int64_t users_ = 0;
};

ForwardLevel& forward_level() {
  static auto* level = new ForwardLevel;  // never destroyed: threads may outlive static objects
  return *level;
}

ft::RandomnessType randomness_of(int randomness) {
  switch (randomness) {
    case GT_FUNCTORCH_SAME: return ft::RandomnessType::Same;
    case GT_FUNCTORCH_DIFFERENT: return ft::RandomnessType::Different;
    default: return ft::RandomnessType::Error;
  }
}

int64_t push(int kind, int64_t batch, int randomness) {
  const auto state = c10::AutogradState::get_tls_state();
  switch (kind) {
    case GT_FUNCTORCH_VMAP:
      return ft::initAndPushDynamicLayer(ft::TransformType::Vmap, c10::SymInt(batch), randomness_of(randomness));
    case GT_FUNCTORCH_GRAD:
      return ft::initAndPushDynamicLayer(ft::TransformType::Grad, std::nullopt, std::nullopt, state.get_grad_mode());
    default:
      forward_level().enter();
      try {
        return ft::initAndPushDynamicLayer(ft::TransformType::Jvp, std::nullopt, std::nullopt, std::nullopt,
                                           state.get_fw_grad_mode());
      } catch (...) {
        forward_level().leave();
        throw;
      }
  }
}

// Returns the tensor that t wraps in the layer. The result never belongs to an ended
// layer.
at::Tensor below(at::Tensor t, int64_t level) {
  while (auto* wrapper = ft::maybeGetTensorWrapper(t)) {
    if (wrapper->is_alive() && wrapper->level() != level) break;
    at::Tensor value = wrapper->value();
    t = std::move(value);
  }
  return t;
}

}  // namespace

extern "C" {

uintptr_t gt_functorch_push(gt_ctx ctx, int kind, int64_t batch, int randomness, int64_t* out_level) {
  try {
    gt::enter(ctx);
    TORCH_CHECK_NOT_IMPLEMENTED(!gt::tl_checkpoints, "a functional transform cannot run within a checkpoint");
    TORCH_CHECK(kind == GT_FUNCTORCH_VMAP || !(ctx & GT_CTX_INFERENCE),
                "a derivative needs automatic differentiation, which InferenceMode switches off");
    *out_level = push(kind, batch, randomness);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_functorch_pop(gt_ctx ctx, int64_t level) {
  try {
    gt::enter(ctx);
    const auto top = ft::maybeCurrentDynamicLayer();
    TORCH_CHECK(top && top->layerId() == level, "the layers of this thread are not as they were left");
    const bool forward = top->key() == ft::TransformType::Jvp;
    ft::popDynamicLayerAndDeleteMetadata();
    if (forward) forward_level().leave();
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

int64_t gt_functorch_depth(void) { return static_cast<int64_t>(ft::getDynamicLayerStack().size()); }

gt_ret gt_functorch_batch(gt_ctx ctx, gt_tensor t, int64_t dim, int64_t level) {
  try {
    gt::enter(ctx);
    return {gt::release(ft::addBatchDim(as(t), dim, level)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

gt_ret gt_functorch_unbatch(gt_ctx ctx, gt_tensor t, int64_t dim, int64_t level, int64_t batch) {
  try {
    gt::enter(ctx);
    auto [value, at] = ft::unwrapTensorAtLevel(as(t), level);
    if (at) return {gt::release(at::movedim(value, *at, dim)), 0};
    auto sizes = value.sizes().vec();
    sizes.insert(sizes.begin() + dim, batch);
    return {gt::release(value.unsqueeze(dim).expand(sizes)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

gt_ret gt_functorch_wrap(gt_ctx ctx, gt_tensor t, int64_t level, int leaf) {
  try {
    gt::enter(ctx);
    at::Tensor wrapped = ft::makeTensorWrapper(as(t), level);
    if (leaf) wrapped.set_requires_grad(true);
    return {gt::release(std::move(wrapped)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

gt_ret gt_functorch_unwrap(gt_ctx ctx, gt_tensor t, int64_t level) {
  try {
    gt::enter(ctx);
    return {gt::release(below(as(t), level)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

gt_ret gt_functorch_dual(gt_ctx ctx, gt_tensor t, gt_tensor tangent) {
  try {
    gt::enter(ctx);
    return {gt::release(at::_make_dual(as(t), as(tangent), ForwardLevel::kIndex)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

uintptr_t gt_functorch_undual(gt_ctx ctx, gt_tensor t, int64_t level, gt_tensor* out_value, gt_tensor* out_tangent) {
  try {
    gt::enter(ctx);
    auto [value, tangent] = at::_unpack_dual(as(t), ForwardLevel::kIndex);
    value = below(value, level);
    if (tangent.defined()) tangent = below(tangent, level);
    *out_value = gt::release(std::move(value));
    *out_tangent = gt::release(std::move(tangent));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // extern "C"

#endif
