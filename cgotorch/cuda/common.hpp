// Shared by the files of this package.
#pragma once

#include "cuda.h"

namespace gtcuda {

// Converts the exception in flight to a gt_error. Call only from a catch block.
uintptr_t caught() noexcept;

// Called when the library is open: registers the functions that read and set the CUDA modes.
void provide_modes();

// These read and set the calling thread's pool use.
uint32_t pool_use();
void set_pool_use(uint32_t use);

struct PoolUse;

// While it exists, the calling thread allocates outside pools. The thread may still be in
// a row of modes that its goroutine has already left.
class OutsidePools {
 public:
  OutsidePools();
  ~OutsidePools();
  OutsidePools(const OutsidePools&) = delete;
  OutsidePools& operator=(const OutsidePools&) = delete;

 private:
  const PoolUse* before_;
};

// Runs f. Returns 0, or the error that f threw.
template <typename F>
uintptr_t guarded(F&& f) noexcept {
  try {
    f();
    return 0;
  } catch (...) {
    return caught();
  }
}

}  // namespace gtcuda
