// What the files of this package share.
#pragma once

#include "cuda.h"

namespace gtcuda {

// Turns the exception in flight into a gt_error; for catch blocks.
uintptr_t caught() noexcept;

// Has the CUDA columns of goroutines' modes applied, once the library is open.
void provide_modes();

// The column of memory pools, of the calling thread.
uint32_t pool_use();
void set_pool_use(uint32_t use);

struct PoolUse;

// While one lives, the calling thread allocates outside of pools: it may be in a row of
// modes that its goroutine has left.
class OutsidePools {
 public:
  OutsidePools();
  ~OutsidePools();
  OutsidePools(const OutsidePools&) = delete;
  OutsidePools& operator=(const OutsidePools&) = delete;

 private:
  const PoolUse* before_;
};

// Runs f and returns 0, or the error that it threw.
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
