// What only libtorch's CUDA allocator has: the fraction and pools. Its abstract
// class comes from the header of the libtorch that this is built against, so the
// two agree on where each method is; the object comes from the opened library.
#ifdef GOTORCH_TOGETHER  // compiled by together.cpp

#include "allocator.hpp"

using gtcuda::guarded;

#ifdef GOTORCH_HAS_CUDA_HEADERS

using gtcuda::allocator;

namespace {

c10::DeviceIndex index(int device) { return static_cast<c10::DeviceIndex>(device); }

}  // namespace

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
    // User pools are numbered in the second half of the id, as libtorch's
    // MemPool does; the high bit keeps out of the way of pools that it makes.
    static std::atomic<uint64_t> last{uint64_t(1) << 62};
    const c10::MempoolId_t id{0, ++last};
    gtcuda::native("pools")->createOrIncrefPool(index(device), id);
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

#else  // without CUDA headers

using gtcuda::missing;

uintptr_t gt_cuda_set_fraction(int, double) { return missing(); }
uintptr_t gt_cuda_get_fraction(int, double*) { return missing(); }
uintptr_t gt_cuda_backend(char**) { return missing(); }
uintptr_t gt_cuda_pool_new(int, gt_cuda_pool*) { return missing(); }
uintptr_t gt_cuda_pool_begin(int, gt_cuda_pool) { return missing(); }
uintptr_t gt_cuda_pool_end(int, gt_cuda_pool) { return missing(); }
uintptr_t gt_cuda_pool_release(int, gt_cuda_pool) { return missing(); }

#endif

#endif
