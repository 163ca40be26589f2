// Shared by the files of this package.
#pragma once

#include "cuda.h"

namespace gtcuda {

// Turns the exception in flight into a gt_error. Call only from a catch block.
uintptr_t caught() noexcept;

// Provides the functions that read and set the CUDA modes, once the library is open.
void provide_modes();

// Reads and sets the pool mode of the calling thread.
uint32_t pool_use();
void set_pool_use(uint32_t use);

struct PoolUse;

// While it exists, the calling thread allocates outside of pools, because
// the thread may still be in a row of modes that its goroutine has left.
class OutsidePools {
 public:
  OutsidePools();
  ~OutsidePools();
  OutsidePools(const OutsidePools&) = delete;
  OutsidePools& operator=(const OutsidePools&) = delete;

 private:
  const PoolUse* before_;
};

// Runs f and returns 0, or the error of an exception.
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
