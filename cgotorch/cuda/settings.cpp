// The settings of libtorch's allocators. The settings that all accelerators
// share are in libc10, which is linked; the others are in CUDA's allocator.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "settings.hpp"

#include <c10/core/AllocatorConfig.h>

#include <sstream>

using gtcuda::guarded;

namespace cfg = c10::CachingAllocator;
using Common = cfg::AcceleratorAllocatorConfig;

namespace {

// Settings that gt_cuda_load applies. Load must not run at the same time as gt_cuda_settings_keep.
std::vector<std::string>& kept() {
  static std::vector<std::string> list;
  return list;
}

}  // namespace

int gt_cuda_settings_ready(void) { return static_cast<bool>(Common::getConfigParserHook()); }

void gtcuda::apply_kept_settings() {
  for (const auto& conf : kept()) {
    std::string why;
    try {
      cfg::setAllocatorSettings(conf);
      continue;
    } catch (const c10::Error& e) {
      why = e.what_without_backtrace();
    } catch (const std::exception& e) {
      why = e.what();
    }
    TORCH_CHECK(false, "CUDA does not take the settings \"", conf, "\": ", why);
  }
  kept().clear();
}

uintptr_t gt_cuda_settings_keep(const char* conf) {
  return guarded([&] { kept().push_back(conf); });
}

uintptr_t gt_cuda_settings_apply(const char* conf) {
  return guarded([&] { cfg::setAllocatorSettings(conf); });
}

#ifdef GOTORCH_HAS_CUDA_HEADERS

namespace {

const char* truth(bool v) { return v ? "True" : "False"; }

bool native() { return gtcuda::allocator()->name() == "native"; }

// Returns the settings. They are from a snapshot of a pool that does not exist, which
// contains nothing else.
ca::AllocatorConfigInfo config() {
  if (!native())
    throw gt::MissingOperator("the allocator " + gtcuda::allocator()->name() + " does not tell its settings");
  return gtcuda::allocator()->snapshot(gtcuda::no_pool, false).config_metadata;
}

}  // namespace

void gtcuda::copy_settings(gt_cuda_settings* out, const ca::AllocatorConfigInfo& c) {
  out->conf = gtcuda::copy_of(c.last_allocator_settings);
  out->max_split_size = c.max_split_size == SIZE_MAX ? -1 : int64_t(c.max_split_size);
  out->pinned_num_register_threads = int64_t(c.pinned_num_register_threads);
  out->garbage_collection_threshold = c.garbage_collection_threshold;
  out->expandable_segments = c.expandable_segments;
  out->release_lock = c.release_lock_on_malloc;
  out->pinned_use_host_register = c.pinned_use_host_register;
  out->capture_reuse = c.graph_capture_record_stream_reuse;
  for (size_t i = 0; i < 16 && i < c.roundup_power2_divisions.size(); i++)
    out->roundup[i] = int64_t(c.roundup_power2_divisions[i]);
}

uintptr_t gt_cuda_settings_read(gt_cuda_settings* out) {
  *out = {};
  return guarded([&] { gtcuda::copy_settings(out, config()); });
}

uintptr_t gt_cuda_settings_key(const char* key, int* out) {
  return guarded([&] {
    *out = Common::getKeys().count(key)                    ? GT_CUDA_KEY_COMMON
           : ca::CUDAAllocatorConfig::getKeys().count(key) ? GT_CUDA_KEY_CUDA
                                                           : GT_CUDA_KEY_UNKNOWN;
  });
}

uintptr_t gt_cuda_settings_save(char** out_values, char** out_conf) {
  *out_values = *out_conf = nullptr;
  const uintptr_t err = guarded([&] {
    // These keys keep their values if a new string does not contain them. All other keys
    // then return to their defaults.
    std::ostringstream v;
    v << "large_segment_size_mb:" << (Common::large_segment_size() >> 20)
      << ",max_non_split_rounding_mb:" << (Common::max_non_split_rounding_size() >> 20)
      << ",expandable_segments:" << truth(Common::use_expandable_segments())
      << ",pinned_use_background_threads:" << truth(Common::pinned_use_background_threads());
    if (gt_cuda_settings_ready() && native()) {
      const auto c = config();
      v << ",release_lock_on_cudamalloc:" << truth(c.release_lock_on_malloc)
        << ",pinned_use_cuda_host_register:" << truth(c.pinned_use_host_register)
        << ",graph_capture_record_stream_reuse:" << truth(c.graph_capture_record_stream_reuse)
        << ",pinned_num_register_threads:" << c.pinned_num_register_threads;
    }
    *out_values = gtcuda::copy_of(v.str());
    *out_conf = gtcuda::copy_of(Common::last_allocator_settings());
  });
  if (err) {
    std::free(*out_values);
    std::free(*out_conf);
  }
  return err;
}

#else  // without CUDA headers

using gtcuda::missing;

uintptr_t gt_cuda_settings_read(gt_cuda_settings*) { return missing(); }
uintptr_t gt_cuda_settings_key(const char*, int*) { return missing(); }
uintptr_t gt_cuda_settings_save(char**, char**) { return missing(); }

#endif

#endif
