#ifdef GOTORCH_TOGETHER  // together.cpp includes this file, after all the rules

#include "rule.hpp"
#include "../capturing.hpp"

namespace {

void step(int32_t optimizer, const gt_tensor* params, gt_tensor* state, int64_t n, const gt_settings& o,
          const gt_how& how) {
  TORCH_CHECK_VALUE(optimizer > 0, "no such optimizer");
  gt::Optimizer::all().at(optimizer - 1).step(params, state, n, o, how);
}

// A step in a captured graph. Each replay performs it with the settings at that time, so
// that step counts, learning rates and other settings are the same as without a graph.
class Recorded final : public gt::HostStep {
 public:
  Recorded(int32_t optimizer, const gt_tensor* params, gt_tensor* state, int64_t n, int64_t states,
           const gt_settings& o, const gt_how& how)
      : settings(o), optimizer_(optimizer), how_(how) {
    for (int64_t i = 0; i < n; i++) {
      this->params.push_back(gt::as(params[i]));
      grads.push_back(gt::as(params[i]).grad());
      if (grads.back().defined()) writes.push_back(gt::as(params[i]));
      handles_.push_back(params[i]);
    }
    for (int64_t i = 0; i < n * states; i++) {
      state_handles_.push_back(state[i]);
      if (state[i]) {
        state_.push_back(gt::as(state[i]));
        writes.push_back(state_.back());
      }
    }
    if (how.grad_scale) reads.push_back(gt::as(how.grad_scale));
    if (how.found_inf) reads.push_back(gt::as(how.found_inf));
  }

  const char* name() const override { return "the step of an optimizer"; }
  void run() override {
    std::vector<gt_tensor> state = state_handles_;
    step(optimizer_, handles_.data(), state.data(), static_cast<int64_t>(handles_.size()), settings, how_);
    for (size_t i = 0; i < state.size(); i++) {
      if (!state_handles_[i] && state[i]) {  // Package optim normally finds this before the replay starts.
        at::Tensor(c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>::reclaim(
                       reinterpret_cast<c10::TensorImpl*>(state[i])))
            .reset();
        TORCH_CHECK(false, "the step has created state that did not exist when it was captured");
      }
    }
  }

  gt_settings settings;

 private:
  int32_t optimizer_;
  gt_how how_;
  std::vector<gt_tensor> handles_, state_handles_;
  std::vector<at::Tensor> state_;  // the tensors of state_handles_
};

}  // namespace

extern "C" int32_t gt_optimizer_find(const char* name) {
  const auto& all = gt::Optimizer::all();
  for (size_t i = 0; i < all.size(); i++) {
    if (all[i].name == name) return static_cast<int32_t>(i) + 1;
  }
  return 0;
}

extern "C" uintptr_t gt_optimizer_step(gt_ctx ctx, int32_t optimizer, const gt_tensor* params, gt_tensor* state,
                                       int64_t n, int64_t states, const gt_settings* o, const gt_how* how,
                                       uintptr_t* out_recorded) {
  try {
    gt::enter(ctx);
    if (!gt::tl_capture) {
      step(optimizer, params, state, n, *o, *how);
      return 0;
    }
    {
      gt::Unrecorded unrecorded;
      step(optimizer, params, state, n, *o, *how);
    }
    auto recorded = std::make_shared<Recorded>(optimizer, params, state, n, states, *o, *how);
    gt::add_host_step.load()(recorded);
    *out_recorded = reinterpret_cast<uintptr_t>(recorded.get());
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

extern "C" void gt_optimizer_feed(uintptr_t recorded, const gt_settings* o) {
  reinterpret_cast<Recorded*>(recorded)->settings = *o;
}

#endif
