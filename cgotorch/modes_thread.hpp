// The rarer modes of the calling thread, as it is, for callbacks.
#pragma once

#include "modes.h"

namespace gt {

// The state that the calling thread is in, whoever put it there; throws.
gt_modes thread_modes();

// Takes the thread's state as the one that Go's operators find until restore, which puts
// the thread back into it. The constructor throws, and has changed nothing then.
class CallbackModes {
 public:
  CallbackModes();
  void restore() noexcept;
  CallbackModes(const CallbackModes&) = delete;
  CallbackModes& operator=(const CallbackModes&) = delete;

  // The bits of a gt_ctx that belong to the row.
  gt_ctx bits() const { return gt_ctx(row_) << GT_CTX_MODES_SHIFT; }

 private:
  gt_modes saved_;   // what the thread was last put into
  gt_modes actual_;  // and what has become of that
  uint32_t row_;
};

}  // namespace gt
