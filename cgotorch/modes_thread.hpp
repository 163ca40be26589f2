// The modes that the calling thread is really in, for callbacks.
#pragma once

#include "modes.h"

namespace gt {

// Returns the state of the calling thread, no matter what set it. May throw.
gt_modes thread_modes();

// Makes the thread's real state the one that Go's operators see, until restore, which
// puts the thread back into that state. If the constructor throws, nothing has changed.
class CallbackModes {
 public:
  CallbackModes();
  void restore() noexcept;
  CallbackModes(const CallbackModes&) = delete;
  CallbackModes& operator=(const CallbackModes&) = delete;

  // The row's bits of a gt_ctx.
  gt_ctx bits() const { return gt_ctx(row_) << GT_CTX_MODES_SHIFT; }

 private:
  gt_modes saved_;   // the state that the thread was last put into
  gt_modes actual_;  // the state that the thread is really in
  uint32_t row_;
};

}  // namespace gt
