#ifdef GOTORCH_TOGETHER  // together_autograd.cpp includes this file

#include "abi.hpp"
#include "autograd.h"
#include "callback.hpp"
#include "released.hpp"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <mutex>
#include <vector>

extern "C" int64_t gotorchHook(int64_t id, gt_ctx ctx, gt_tensor grad, gt_tensor* out);

using gt::as;

namespace {

// A Go hook, identified by its id. The destructor releases the id.
struct Hook {
  int64_t id;
  explicit Hook(int64_t i) : id(i) {}
  ~Hook() { gt::push_released(id); }
};

// Creates a Hook that owns id. If the allocation fails, releases id.
std::shared_ptr<Hook> make_hook(int64_t id) {
  try {
    return std::make_shared<Hook>(id);
  } catch (...) {
    gt::push_released(id);
    throw;
  }
}

// Calls the Go hook with t, which is borrowed. Returns the hook's result, which may be undefined.
at::Tensor run_hook(const Hook& hook, const at::Tensor& t) {
  gt_tensor out = 0;
  int64_t tag;
  {
    gt::CallbackScope scope;
    tag = gotorchHook(hook.id, scope.ctx(), reinterpret_cast<gt_tensor>(t.unsafeGetTensorImpl()), &out);
  }
  if (tag) throw gt::GoPanic(tag);
  if (!out) return {};
  auto r = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>::reclaim(
      reinterpret_cast<c10::TensorImpl*>(out));
  return at::Tensor(std::move(r));
}

// All hooks that run after a leaf's gradient was accumulated. libtorch accepts only one
// object per leaf.
class AccumulatedHooks : public torch::autograd::PostAccumulateGradHook {
 public:
  // Runs, in order, the hooks that exist when it starts, as in Python. A hook may remove itself or
  // another hook.
  void operator()(const at::Tensor& t) override {
    std::vector<std::shared_ptr<Hook>> running;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (const auto& h : hooks_) running.push_back(h.second);
    }
    for (const auto& h : running) run_hook(*h, t);
  }
  int64_t add(std::shared_ptr<Hook> hook) {
    std::lock_guard<std::mutex> lock(mutex_);
    hooks_.emplace_back(next_, std::move(hook));
    return next_++;
  }
  void remove(int64_t pos) {
    std::shared_ptr<Hook> gone;  // destroyed after the lock is released
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto it = hooks_.begin(); it != hooks_.end(); ++it) {
      if (it->first != pos) continue;
      gone = std::move(it->second);
      hooks_.erase(it);
      return;
    }
  }
  void list(std::vector<int64_t>& all) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& h : hooks_) all.push_back(-1 - h.first);
  }

 private:
  std::mutex mutex_;
  int64_t next_ = 0;
  std::vector<std::pair<int64_t, std::shared_ptr<Hook>>> hooks_;
};

// Returns the AccumulatedHooks of a leaf, or null if it has none.
AccumulatedHooks* accumulated_hooks(const at::Tensor& t) {
  return static_cast<AccumulatedHooks*>(torch::autograd::impl::post_acc_grad_hooks(t).get());
}

}  // namespace

std::vector<int64_t> gt::hooks_of(const at::Tensor& leaf) {
  std::vector<int64_t> all;
  const auto* meta = torch::autograd::impl::get_autograd_meta(leaf);
  if (!meta) return all;
  if (meta->cpp_hooks_list_) {
    const auto& list = *meta->cpp_hooks_list_;
    for (size_t i = 0; i < list.size(); i++) {
      if (list[i]) all.push_back(static_cast<int64_t>(i));
    }
  }
  if (auto* accumulated = accumulated_hooks(leaf)) accumulated->list(all);
  return all;
}

extern "C" {

uintptr_t gt_tensor_register_hook(gt_ctx ctx, gt_tensor t, int64_t id, int64_t* out_pos) {
  try {
    std::shared_ptr<Hook> hook = make_hook(id);
    gt::enter(ctx);
    *out_pos = as(t).register_hook([hook](const at::Tensor& grad) { return run_hook(*hook, grad); });
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_tensor_remove_hook(gt_ctx ctx, gt_tensor t, int64_t pos) {
  try {
    gt::enter(ctx);
    as(t).remove_hook(static_cast<unsigned>(pos));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_tensor_register_accumulated_hook(gt_ctx ctx, gt_tensor t, int64_t id, int64_t* out_pos) {
  try {
    std::shared_ptr<Hook> hook = make_hook(id);
    gt::enter(ctx);
    const at::Tensor& self = as(t);
    TORCH_CHECK(self.requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
    TORCH_CHECK(self.is_leaf(), "a hook that runs once a gradient is accumulated belongs to a leaf variable");
    if (!accumulated_hooks(self)) {
      torch::autograd::impl::set_post_acc_grad_hooks(self, std::make_unique<AccumulatedHooks>());
    }
    *out_pos = accumulated_hooks(self)->add(std::move(hook));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_tensor_remove_accumulated_hook(gt_ctx ctx, gt_tensor t, int64_t pos) {
  try {
    gt::enter(ctx);
    if (AccumulatedHooks* hooks = accumulated_hooks(as(t))) hooks->remove(pos);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // extern "C"

#endif
