// The allocators' settings, for the files that copy or apply them.
#pragma once

#include "allocator.hpp"
#include "cuda_history.h"

namespace gtcuda {

// Applies the settings from gt_cuda_settings_keep to the library just opened.
void apply_kept_settings();

#ifdef GOTORCH_HAS_CUDA_HEADERS
void copy_settings(gt_cuda_settings* out, const ca::AllocatorConfigInfo& c);
#endif

}  // namespace gtcuda
