// What only libtorch's CUDA allocator has: the fraction and pools. Its abstract
// class comes from the header of the libtorch that this is built against, so the
// two agree on where each method is; the object comes from the opened library.
#ifdef GOTORCH_TOGETHER  // compiled by together.cpp

#include "allocator.hpp"

#include <c10/core/CachingDeviceAllocator.h>

#include <vector>

using gtcuda::guarded;

#ifdef GOTORCH_HAS_CUDA_HEADERS

using gtcuda::allocator;

namespace {

c10::DeviceIndex index(int device) { return static_cast<c10::DeviceIndex>(device); }

// User pools are numbered in the second half of the id, as libtorch's MemPool
// does; the high bit keeps out of the way of pools that it makes.
c10::MempoolId_t new_pool_id() {
  static std::atomic<uint64_t> last{uint64_t(1) << 62};
  return {0, ++last};
}

struct Use {
  int device;
  c10::MempoolId_t pool;
};

// What the calling thread has begun to use, the innermost last.
thread_local std::vector<Use> uses;

void begin_use(const Use& u) {
  // The allocator asks the filter on the thread that allocates.
  const auto self = pthread_self();
  allocator()->beginAllocateToPool(index(u.device), u.pool,
                                   [self](cudaStream_t) { return pthread_equal(pthread_self(), self) != 0; });
}

void end_reference(const Use& u) { allocator()->releasePool(index(u.device), u.pool); }

// While a pool is in use on a device, libtorch gives back there what pools have
// and nothing else. So the thread's own are put aside on the devices that are to
// be emptied, and on the others one is in use that nobody allocates from.
class OnlyOn {
 public:
  explicit OnlyOn(int device) {
    const bool all = device < 0;
    try {
      for (auto u = uses.rbegin(); u != uses.rend(); ++u) {
        if (!all && u->device != device) continue;
        allocator()->endAllocateToPool(index(u->device), u->pool);
        aside_.push_back(*u);
      }
      for (int d = 0; !all && d < gt_cuda_device_count(); d++) {
        if (d == device) continue;
        const Use u{d, new_pool_id()};
        allocator()->beginAllocateToPool(index(d), u.pool, [](cudaStream_t) { return false; });
        held_.push_back(u);
      }
    } catch (...) {
      undo();
      throw;
    }
  }
  ~OnlyOn() { undo(); }

 private:
  // Goes on after an error, of which there is none but for want of memory: leaving
  // a pool whose use did not begin again is one.
  void undo() noexcept {
    for (const Use& u : held_) {
      attempt([&] { allocator()->endAllocateToPool(index(u.device), u.pool); });
      attempt([&] { end_reference(u); });
    }
    for (auto u = aside_.rbegin(); u != aside_.rend(); ++u) {
      attempt([&] {
        begin_use(*u);
        end_reference(*u);  // the first beginning's reference is still there
      });
    }
    held_.clear();
    aside_.clear();
  }
  template <typename F>
  static void attempt(F&& f) noexcept {
    try {
      f();
    } catch (...) {
    }
  }
  std::vector<Use> aside_, held_;
};

}  // namespace

uintptr_t gt_cuda_empty_cache(int device) {
  return guarded([&] {
    if (allocator()->name() != "native") return allocator()->emptyCache();
    const OnlyOn only(device);
    allocator()->emptyCache();
  });
}

uintptr_t gt_cuda_set_fraction(int device, double fraction) {
  return guarded([&] { allocator()->setMemoryFraction(fraction, index(device)); });
}
uintptr_t gt_cuda_get_fraction(int device, double* out) {
  return guarded([&] { *out = allocator()->getMemoryFraction(index(device)); });
}
uintptr_t gt_cuda_backend(char** out) {
  return guarded([&] { *out = gtcuda::copy_of(allocator()->name()); });
}

uintptr_t gt_cuda_pool_new(int device, gt_cuda_pool* out) {
  return guarded([&] {
    const auto id = new_pool_id();
    gtcuda::native("pools")->createOrIncrefPool(index(device), id);
    *out = {id.first, id.second};
  });
}
uintptr_t gt_cuda_pool_begin(int device, gt_cuda_pool pool) {
  return guarded([&] {
    uses.push_back({device, {pool.a, pool.b}});
    try {
      begin_use(uses.back());
    } catch (...) {
      uses.pop_back();
      throw;
    }
  });
}
uintptr_t gt_cuda_pool_end(int device, gt_cuda_pool pool) {
  return guarded([&] {
    const Use use{device, {pool.a, pool.b}};
    std::erase_if(uses, [&](const Use& u) { return u.device == device && u.pool == use.pool; });
    // A beginning holds a reference of its own to the pool.
    allocator()->endAllocateToPool(index(device), use.pool);
    end_reference(use);
  });
}
uintptr_t gt_cuda_pool_release(int device, gt_cuda_pool pool) {
  return guarded([&] {
    allocator()->releasePool(index(device), {pool.a, pool.b});
    allocator()->emptyCache({pool.a, pool.b});
  });
}

#else  // without CUDA headers

using gtcuda::missing;

uintptr_t gt_cuda_empty_cache(int) {
  return guarded([] { c10::getDeviceAllocator(c10::DeviceType::CUDA)->emptyCache(); });
}
uintptr_t gt_cuda_set_fraction(int, double) { return missing(); }
uintptr_t gt_cuda_get_fraction(int, double*) { return missing(); }
uintptr_t gt_cuda_backend(char**) { return missing(); }
uintptr_t gt_cuda_pool_new(int, gt_cuda_pool*) { return missing(); }
uintptr_t gt_cuda_pool_begin(int, gt_cuda_pool) { return missing(); }
uintptr_t gt_cuda_pool_end(int, gt_cuda_pool) { return missing(); }
uintptr_t gt_cuda_pool_release(int, gt_cuda_pool) { return missing(); }

#endif

#endif
