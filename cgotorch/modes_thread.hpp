// The actual modes of the calling thread, for callbacks.
#pragma once

#include "modes.h"

namespace gt {

// Returns the state of the calling thread, no matter who set it; throws.
gt_modes thread_modes();

// Makes the thread's actual state the one that Go's operators see, until restore, which puts the
// thread back into it. If the constructor throws, nothing has changed.
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
  gt_modes actual_;  // its actual state
  uint32_t row_;
};

}  // namespace gt
