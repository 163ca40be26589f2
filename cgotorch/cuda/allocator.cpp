// What only libtorch's CUDA allocator has: the fraction, history, snapshots,
// pools. Its abstract class comes from the header of the libtorch that this is
// built against, so the two agree on where each method is; the object comes from
// the opened library.
#include "common.hpp"

#include "abi.hpp"

#if __has_include(<c10/cuda/impl/cuda_cmake_macros.h>)
#define GOTORCH_HAS_CUDA_HEADERS
#include <c10/cuda/CUDACachingAllocator.h>
#endif

#include <optional>
#include <vector>

using gtcuda::guarded;

namespace {

constexpr int kDevices = 64;
gt_cuda_counters counters[kDevices];

[[maybe_unused]] char* copy_of(const std::string& s) {
  auto* p = static_cast<char*>(std::malloc(s.size() + 1));
  if (!p) throw std::bad_alloc();
  std::memcpy(p, s.data(), s.size());
  p[s.size()] = 0;
  return p;
}

// A function or variable of the CUDA libraries by its mangled name.
[[maybe_unused]] void* symbol(const char* name) {
  if (void* p = dlsym(RTLD_DEFAULT, name)) return p;
  throw gt::MissingOperator(std::string("this libtorch_cuda has no ") + name);
}

}  // namespace

gt_cuda_counters* gt_cuda_counters_addr(int device) {
  return device >= 0 && device < kDevices ? &counters[device] : nullptr;
}

#ifdef GOTORCH_HAS_CUDA_HEADERS

namespace ca = c10::cuda::CUDACachingAllocator;

namespace {

ca::CUDAAllocator* allocator() {
  static auto* at = static_cast<std::atomic<ca::CUDAAllocator*>*>(
      symbol("_ZN3c104cuda20CUDACachingAllocator9allocatorE"));
  return at->load();
}

c10::DeviceIndex index(int device) { return static_cast<c10::DeviceIndex>(device); }

// Runs under the allocator's lock: it may only count.
void track(uint32_t* pressure, const ca::TraceEntry& e) {
  if (e.device_ < 0 || e.device_ >= kDevices) return;
  auto& c = counters[e.device_];
  switch (e.action_) {
    case ca::TraceEntry::ALLOC: {
      const int64_t live = __atomic_add_fetch(&c.live_bytes, int64_t(e.size_), __ATOMIC_RELAXED);
      if (live > __atomic_load_n(&c.threshold, __ATOMIC_RELAXED)) __atomic_store_n(pressure, 1, __ATOMIC_RELEASE);
      break;
    }
    case ca::TraceEntry::FREE_COMPLETED:
      __atomic_sub_fetch(&c.live_bytes, int64_t(e.size_), __ATOMIC_RELAXED);
      break;
    default:
      break;
  }
}

}  // namespace

uintptr_t gt_cuda_watch(uint32_t* pressure) {
  return guarded([&] {
    allocator()->attachAllocatorTraceTracker([pressure](const ca::TraceEntry& e) { track(pressure, e); });
  });
}

uintptr_t gt_cuda_set_fraction(int device, double fraction) {
  return guarded([&] { allocator()->setMemoryFraction(fraction, index(device)); });
}
uintptr_t gt_cuda_get_fraction(int device, double* out) {
  return guarded([&] { *out = allocator()->getMemoryFraction(index(device)); });
}
uintptr_t gt_cuda_backend(char** out) {
  return guarded([&] { *out = copy_of(allocator()->name()); });
}

uintptr_t gt_cuda_snapshot(char** out, int64_t* out_n) {
  return guarded([&] {
    const auto pickled =
        reinterpret_cast<std::string (*)()>(symbol("_ZN5torch4cuda24_memory_snapshot_pickledB5cxx11Ev"));
    const std::string s = pickled();
    *out = copy_of(s);
    *out_n = static_cast<int64_t>(s.size());
  });
}

uintptr_t gt_cuda_pool_new(int device, gt_cuda_pool* out) {
  return guarded([&] {
    // User pools are numbered in the second half of the id, as libtorch's
    // MemPool does; the high bit keeps out of the way of pools that it makes.
    static std::atomic<uint64_t> last{uint64_t(1) << 62};
    const c10::MempoolId_t id{0, ++last};
    allocator()->createOrIncrefPool(index(device), id);
    *out = {id.first, id.second};
  });
}
uintptr_t gt_cuda_pool_begin(int device, gt_cuda_pool pool) {
  return guarded([&] {
    // The allocator asks the filter on the thread that allocates.
    const auto self = pthread_self();
    allocator()->beginAllocateToPool(index(device), {pool.a, pool.b},
                                     [self](cudaStream_t) { return pthread_equal(pthread_self(), self) != 0; });
  });
}
uintptr_t gt_cuda_pool_end(int device, gt_cuda_pool pool) {
  return guarded([&] {
    // A beginning holds a reference of its own to the pool.
    allocator()->endAllocateToPool(index(device), {pool.a, pool.b});
    allocator()->releasePool(index(device), {pool.a, pool.b});
  });
}
uintptr_t gt_cuda_pool_release(int device, gt_cuda_pool pool) {
  return guarded([&] {
    allocator()->releasePool(index(device), {pool.a, pool.b});
    allocator()->emptyCache({pool.a, pool.b});
  });
}

uintptr_t gt_cuda_record(int on, int64_t max_entries, int clear) {
  return guarded([&] {
    // torch::cuda::_record_memory_history would gather C++ or Python stacks;
    // here the allocator is told directly to gather none.
    allocator()->recordHistory(on != 0, nullptr, max_entries > 0 ? size_t(max_entries) : SIZE_MAX,
                               ca::RecordContext::NEVER, clear != 0, {});
  });
}

#else  // without CUDA headers

namespace {
uintptr_t missing() {
  return guarded([] {
    throw gt::MissingOperator("gotorch was built against a libtorch without CUDA headers");
  });
}
}  // namespace

uintptr_t gt_cuda_watch(uint32_t*) { return missing(); }
uintptr_t gt_cuda_set_fraction(int, double) { return missing(); }
uintptr_t gt_cuda_get_fraction(int, double*) { return missing(); }
uintptr_t gt_cuda_backend(char**) { return missing(); }
uintptr_t gt_cuda_snapshot(char**, int64_t*) { return missing(); }
uintptr_t gt_cuda_pool_new(int, gt_cuda_pool*) { return missing(); }
uintptr_t gt_cuda_pool_begin(int, gt_cuda_pool) { return missing(); }
uintptr_t gt_cuda_pool_end(int, gt_cuda_pool) { return missing(); }
uintptr_t gt_cuda_pool_release(int, gt_cuda_pool) { return missing(); }
uintptr_t gt_cuda_record(int, int64_t, int) { return missing(); }

#endif
