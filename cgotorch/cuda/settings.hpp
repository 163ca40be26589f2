// The allocators' settings, for the files that copy or apply them.
#pragma once

#include "allocator.hpp"
#include "cuda_history.h"

namespace gtcuda {

// Applies the settings of gt_cuda_settings_keep to the library, which has just been opened.
void apply_kept_settings();

#ifdef GOTORCH_HAS_CUDA_HEADERS
void copy_settings(gt_cuda_settings* out, const ca::AllocatorConfigInfo& c);
#endif

}  // namespace gtcuda
