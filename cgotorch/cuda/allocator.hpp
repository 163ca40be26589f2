// libtorch's CUDA allocator, for files that need more than its statistics.
#pragma once

#include "abi.hpp"
#include "common.hpp"

#if __has_include(<c10/cuda/impl/cuda_cmake_macros.h>)
#define GOTORCH_HAS_CUDA_HEADERS

#include <c10/cuda/CUDACachingAllocator.h>

namespace ca = c10::cuda::CUDACachingAllocator;

namespace gtcuda {

// The id of a pool that does not exist.
inline constexpr c10::MempoolId_t no_pool{~uint64_t(0), ~uint64_t(0)};

inline ca::CUDAAllocator* allocator() {
  static auto* at = [] {
    const char* name = "_ZN3c104cuda20CUDACachingAllocator9allocatorE";
    void* p = dlsym(RTLD_DEFAULT, name);
    if (!p) throw gt::MissingOperator(std::string("this libtorch_cuda has no ") + name);
    return static_cast<std::atomic<ca::CUDAAllocator*>*>(p);
  }();
  return at->load();
}

// Returns the native allocator. Fails if it is cudaMallocAsync, which does not support
// `what`.
inline ca::CUDAAllocator* native(const char* what) {
  auto* a = allocator();
  if (a->name() != "native") throw gt::MissingOperator("the allocator " + a->name() + " has no " + what);
  return a;
}

}  // namespace gtcuda

#else

namespace gtcuda {

inline uintptr_t missing() {
  return guarded([] { throw gt::MissingOperator("gotorch was built against a libtorch without CUDA headers"); });
}

}  // namespace gtcuda

#endif

namespace gtcuda {

inline char* copy_of(const std::string& s) {
  auto* p = static_cast<char*>(std::malloc(s.size() + 1));
  if (!p) throw std::bad_alloc();
  std::memcpy(p, s.c_str(), s.size() + 1);
  return p;
}

}  // namespace gtcuda
