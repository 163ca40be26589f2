// Determines the modes that libtorch has set on the calling thread, for callbacks.
#pragma once

#include "modes.h"

namespace gt {

// Returns the calling thread's modes, whether they were set by gotorch or by libtorch.
// May throw.
gt_modes thread_modes();

// Makes Go's operators see the thread's actual modes. restore sets the thread to these
// modes again. If the constructor throws, nothing has changed.
class CallbackModes {
 public:
  CallbackModes();
  void restore() noexcept;
  CallbackModes(const CallbackModes&) = delete;
  CallbackModes& operator=(const CallbackModes&) = delete;

  // Returns the row's number as bits of a gt_ctx.
  gt_ctx bits() const { return gt_ctx(row_) << GT_CTX_MODES_SHIFT; }

 private:
  gt_modes saved_;   // the modes that gotorch has last set
  gt_modes actual_;  // the modes that the thread really has
  uint32_t row_;
};

}  // namespace gt
