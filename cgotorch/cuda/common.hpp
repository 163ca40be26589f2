// What the files of this package share.
#pragma once

#include "cuda.h"

namespace gtcuda {

// Has crossings set the current device and streams of their threads.
void provide_modes();

// Turns the exception in flight into a gt_error; for catch blocks.
uintptr_t caught() noexcept;

// Has the CUDA columns of goroutines' modes applied, once the library is open.
void provide_modes();

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
