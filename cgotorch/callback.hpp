// Calls from C++ back into Go.
#pragma once

#include "abi.hpp"
#include "modes_thread.hpp"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

namespace gt {

// Tells Go the state of the calling thread, and restores that state after the callback.
// The autograd engine has set the state and does not expect a hook to change it.
class CallbackScope {
 public:
  CallbackScope()
      : saved_ctx_(tl_ctx),
        state_(c10::AutogradState::get_tls_state()),
        keys_(c10::impl::tls_local_dispatch_key_set()) {
    tl_ctx = gt_ctx(GT_CTX_THREADS(saved_ctx_)) << GT_CTX_THREADS_SHIFT |
             (state_.get_grad_mode() ? 0 : GT_CTX_NO_GRAD) | (state_.get_inference_mode() ? GT_CTX_INFERENCE : 0) |
             modes_.bits();
    entered_ = tl_ctx;
  }
  ~CallbackScope() {
    c10::AutogradState::set_tls_state(state_);
    c10::impl::_force_tls_local_dispatch_key_set(keys_);
    const uint32_t threads = GT_CTX_THREADS(saved_ctx_);
    if (threads && GT_CTX_THREADS(tl_ctx) != threads) set_thread_count(threads);
    modes_.restore();
    tl_ctx = saved_ctx_;
  }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

  gt_ctx ctx() const { return entered_; }

 private:
  gt_ctx saved_ctx_;
  gt_ctx entered_;
  c10::AutogradState state_;
  c10::impl::LocalDispatchKeySet keys_;
  CallbackModes modes_;
};

}  // namespace gt
