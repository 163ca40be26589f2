// Statistics of device memory and page-locked host memory. They need no CUDA header,
// because both allocators have device-independent interfaces.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "common.hpp"
#include "symbol.hpp"

#include <ATen/core/CachingHostAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/DeviceGuard.h>

using gtcuda::guarded;

namespace {

c10::DeviceAllocator* of_cuda() { return c10::getDeviceAllocator(c10::DeviceType::CUDA); }
at::HostAllocator* host() { return at::getHostAllocator(c10::DeviceType::CUDA); }

gt_mem_stat stat(const c10::CachingAllocator::Stat& s) { return {s.current, s.peak, s.allocated, s.freed}; }

void stats(gt_mem_stat (&to)[3], const c10::CachingAllocator::StatArray& from) {
  for (int i = 0; i < 3; i++) to[i] = stat(from[i]);
}

}  // namespace

uintptr_t gt_cuda_stats(int device, gt_mem_stats* out) {
  return guarded([&] {
    const auto s = of_cuda()->getDeviceStats(static_cast<c10::DeviceIndex>(device));
    stats(out->allocation, s.allocation);
    stats(out->segment, s.segment);
    stats(out->active, s.active);
    stats(out->inactive_split, s.inactive_split);
    stats(out->allocated_bytes, s.allocated_bytes);
    stats(out->reserved_bytes, s.reserved_bytes);
    stats(out->active_bytes, s.active_bytes);
    stats(out->inactive_split_bytes, s.inactive_split_bytes);
    stats(out->requested_bytes, s.requested_bytes);
    out->oversize_allocations = stat(s.oversize_allocations);
    out->oversize_segments = stat(s.oversize_segments);
    out->num_alloc_retries = s.num_alloc_retries;
    out->num_ooms = s.num_ooms;
    out->num_sync_all_streams = s.num_sync_all_streams;
    out->num_device_alloc = s.num_device_alloc;
    out->num_device_free = s.num_device_free;
    out->max_split_size = s.max_split_size;
  });
}

uintptr_t gt_cuda_reset_peak(int device) {
  return guarded([&] { of_cuda()->resetPeakStats(static_cast<c10::DeviceIndex>(device)); });
}

uintptr_t gt_cuda_reset_accumulated(int device) {
  return guarded([&] { of_cuda()->resetAccumulatedStats(static_cast<c10::DeviceIndex>(device)); });
}

uintptr_t gt_cuda_mem_info(int device, int64_t* out_free, int64_t* out_total) {
  return guarded([&] {
    // Does the same as the allocator's getMemoryInfo. The compiler might inline that
    // function here, which would require CUDA functions that are not linked.
    const c10::DeviceGuard on({c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)});
    size_t left = 0, total = 0;
    gtcuda::check(gtcuda::symbol<int(size_t*, size_t*)>("cudaMemGetInfo")(&left, &total));
    *out_free = static_cast<int64_t>(left);
    *out_total = static_cast<int64_t>(total);
  });
}

uintptr_t gt_cuda_host_read(gt_cuda_host_stats* out) {
  return guarded([&] {
    const auto s = host()->get_stats();
    out->active_requests = stat(s.active_requests);
    out->active_bytes = stat(s.active_bytes);
    out->allocations = stat(s.allocations);
    out->allocated_bytes = stat(s.allocated_bytes);
    out->num_host_alloc = s.num_host_alloc;
    out->num_host_free = s.num_host_free;
    out->alloc_total_us = s.host_alloc_time.total;
    out->alloc_max_us = s.host_alloc_time.max;
    out->alloc_min_us = s.host_alloc_time.min;
    out->alloc_count = s.host_alloc_time.count;
    out->free_total_us = s.host_free_time.total;
    out->free_max_us = s.host_free_time.max;
    out->free_min_us = s.host_free_time.min;
    out->free_count = s.host_free_time.count;
  });
}

uintptr_t gt_cuda_host_reset(int accumulated) {
  return guarded([&] {
    if (accumulated) {
      host()->reset_accumulated_stats();
    } else {
      host()->reset_peak_stats();
    }
  });
}

uintptr_t gt_cuda_host_empty_cache(void) {
  return guarded([] { host()->empty_cache(); });
}

#endif
