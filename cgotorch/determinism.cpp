#include "runtime.h"

#include "abi.hpp"

#include <ATen/Context.h>

extern "C" {

uintptr_t gt_use_deterministic(bool on, bool warn_only) {
  try {
    at::globalContext().setDeterministicAlgorithms(on, warn_only);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

bool gt_deterministic(void) { return at::globalContext().deterministicAlgorithms(); }

bool gt_deterministic_warn_only(void) { return at::globalContext().deterministicAlgorithmsWarnOnly(); }

}  // extern "C"
