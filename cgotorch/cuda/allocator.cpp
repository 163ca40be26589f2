// The functions that only libtorch's CUDA allocator has: the memory fraction and pools.
// Their abstract class is declared in the headers of the libtorch that this build uses,
// so that the virtual functions match the library that is opened.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "allocator.hpp"

#include <c10/core/CachingDeviceAllocator.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <vector>

using gtcuda::guarded;

// One use of a pool.
struct gtcuda::PoolUse {
  uint32_t number;  // from 1
  int device;
  c10::MempoolId_t pool;
  const PoolUse* outer;  // the use that encloses this one, or null
};
using gtcuda::PoolUse;

namespace {

// All pool uses by number. take returns the lowest free number, so that a program has few
// rows of modes. A use never moves, and is complete before a row contains its number.
class Uses {
 public:
  const PoolUse* at(uint32_t number) {
    std::lock_guard<std::mutex> lock(mutex_);
    return number ? &all_.at(number - 1) : nullptr;
  }

  const PoolUse* take(int device, c10::MempoolId_t pool, uint32_t outer) {
    const PoolUse* within = at(outer);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find(taken_.begin(), taken_.end(), false);
    const auto i = static_cast<uint32_t>(found - taken_.begin());
    if (found == taken_.end()) {
      all_.emplace_back();
      taken_.push_back(false);
    }
    taken_[i] = true;
    all_[i] = {i + 1, device, pool, within};
    return &all_[i];
  }

  void give_back(uint32_t number) {
    std::lock_guard<std::mutex> lock(mutex_);
    taken_[number - 1] = false;
  }

 private:
  std::mutex mutex_;
  std::deque<PoolUse> all_;
  std::vector<bool> taken_;
};

Uses& uses() {
  static auto* u = new Uses;  // never destroyed: threads may outlive static objects
  return *u;
}

struct GiveBack {
  uint32_t use;
  ~GiveBack() { uses().give_back(use); }
};

// The innermost pool use in the calling thread's row of modes.
thread_local const PoolUse* tl_use = nullptr;

}  // namespace

uint32_t gtcuda::pool_use() { return tl_use ? tl_use->number : 0; }
void gtcuda::set_pool_use(uint32_t use) { tl_use = uses().at(use); }

gtcuda::OutsidePools::OutsidePools() : before_(tl_use) { tl_use = nullptr; }
gtcuda::OutsidePools::~OutsidePools() { tl_use = before_; }

#ifdef GOTORCH_HAS_CUDA_HEADERS

using gtcuda::allocator;

namespace {

c10::DeviceIndex index(int device) { return static_cast<c10::DeviceIndex>(device); }

// The second half of the id numbers user pools, as in libtorch's MemPool. Its high bit is
// set, so that it differs from the numbers that libtorch assigns.
c10::MempoolId_t new_pool_id() {
  static std::atomic<uint64_t> last{uint64_t(1) << 62};
  return {0, ++last};
}

void begin_use(const PoolUse& u) {
  // The allocator calls the filter on the allocating thread.
  allocator()->beginAllocateToPool(index(u.device), u.pool, [device = u.device, pool = u.pool](cudaStream_t) {
    const PoolUse* here = tl_use;
    while (here && here->device != device) here = here->outer;
    return here && here->pool == pool;
  });
}

void end_reference(const PoolUse& u) { allocator()->releasePool(index(u.device), u.pool); }

// Restricts emptyCache to one device and to memory outside pools. While a device has a
// pool in use, emptyCache frees only the memory of its pools. So this suspends the
// caller's pools on the device to be emptied, and begins to use an empty pool on every
// other device.
class OnlyOn {
 public:
  OnlyOn(int device, const PoolUse* own) {
    const bool all = device < 0;
    try {
      for (const PoolUse* u = own; u; u = u->outer) {
        if (!all && u->device != device) continue;
        allocator()->endAllocateToPool(index(u->device), u->pool);
        aside_.push_back(*u);
      }
      for (int d = 0; !all && d < gt_cuda_device_count(); d++) {
        if (d == device) continue;
        const PoolUse u{0, d, new_pool_id(), nullptr};
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
  // Undoes as much as possible: it continues after an error, which may be caused by a
  // lack of memory.
  void undo() noexcept {
    for (const PoolUse& u : held_) {
      attempt([&] { allocator()->endAllocateToPool(index(u.device), u.pool); });
      attempt([&] { end_reference(u); });
    }
    for (auto u = aside_.rbegin(); u != aside_.rend(); ++u) {
      attempt([&] {
        begin_use(*u);
        end_reference(*u);  // drops the second reference, which begin_use has taken
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
  std::vector<PoolUse> aside_, held_;
};

}  // namespace

uintptr_t gt_cuda_empty_cache(int device, uint32_t use) {
  return guarded([&] {
    if (allocator()->name() != "native") return allocator()->emptyCache();
    const OnlyOn only(device, uses().at(use));
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
uintptr_t gt_cuda_pool_begin(int device, gt_cuda_pool pool, uint32_t outer, uint32_t* out_use) {
  return guarded([&] {
    const PoolUse* u = uses().take(device, {pool.a, pool.b}, outer);
    try {
      begin_use(*u);
    } catch (...) {
      uses().give_back(u->number);
      throw;
    }
    *out_use = u->number;
  });
}
uintptr_t gt_cuda_pool_end(uint32_t use) {
  return guarded([&] {
    const PoolUse u = *uses().at(use);
    const GiveBack done{use};
    // Drops the reference to the pool that was taken when the use began.
    allocator()->endAllocateToPool(index(u.device), u.pool);
    end_reference(u);
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

uintptr_t gt_cuda_empty_cache(int, uint32_t) {
  return guarded([] { c10::getDeviceAllocator(c10::DeviceType::CUDA)->emptyCache(); });
}
uintptr_t gt_cuda_set_fraction(int, double) { return missing(); }
uintptr_t gt_cuda_get_fraction(int, double*) { return missing(); }
uintptr_t gt_cuda_backend(char**) { return missing(); }
uintptr_t gt_cuda_pool_new(int, gt_cuda_pool*) { return missing(); }
uintptr_t gt_cuda_pool_begin(int, gt_cuda_pool, uint32_t, uint32_t*) { return missing(); }
uintptr_t gt_cuda_pool_end(uint32_t) { return missing(); }
uintptr_t gt_cuda_pool_release(int, gt_cuda_pool) { return missing(); }

#endif

#endif
