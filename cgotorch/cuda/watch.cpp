// Counts the live bytes on each device, for the pacer, and runs windows, which are
// measurements with their own peaks.
//
// The native allocator calls track for each block while it holds its device's lock. A
// report contains only the requested size, so while a window is open, track also reads
// the device's statistics. It can, because the lock is recursive.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "allocator.hpp"
#include "history.h"

#include <mutex>

using gtcuda::guarded;

namespace {

constexpr int kDevices = 64;
gt_cuda_counters counters[kDevices];

}  // namespace

gt_cuda_counters* gt_cuda_counters_addr(int device) {
  return device >= 0 && device < kDevices ? &counters[device] : nullptr;
}

#ifdef GOTORCH_HAS_CUDA_HEADERS

using gtcuda::allocator;

namespace {

using Action = ca::TraceEntry::Action;

struct Window {
  int64_t id = 0;
  gt_mem_window w{};
  Window* next = nullptr;
};

struct Device {
  // The number of windows that are open or are being opened. If it is 0, the other fields
  // are not used.
  std::atomic<int> open{0};

  // May be locked while the allocator's lock is held. The opposite order could deadlock.
  std::mutex mu;
  uint64_t reports = 0;
  int64_t allocations = 0, allocated_bytes = 0;  // counted while a window was open
  // The statistics at the last report, and whether that report was an allocation. An
  // allocation is reported before the statistics include it.
  int64_t blocks = 0, pending = 0;
  bool growing = false;
  Window* windows = nullptr;
  int64_t last_id = 0;

  void peak_blocks(int64_t bytes) {
    for (Window* w = windows; w; w = w->next) w->w.peak_allocated = std::max(w->w.peak_allocated, bytes);
  }

  // Updates the fields and the windows' peaks from the current statistics.
  void see(const c10::CachingDeviceAllocator::DeviceStats& s, bool allocation) {
    const int64_t active = s.active_bytes[0].current;
    blocks = s.allocated_bytes[0].current;
    // Updates the peak after the last allocation. If this report is a free, its bytes are
    // no longer in allocated_bytes but still in active_bytes. Memory that is waiting for
    // streams is only in active_bytes; its amount, pending, has not changed since.
    if (growing) peak_blocks(active - pending);
    peak_blocks(blocks);
    pending = active - blocks;
    growing = allocation;
  }

  void report(Action action, int64_t size, int64_t live, const c10::CachingDeviceAllocator::DeviceStats& s) {
    reports++;
    see(s, action == ca::TraceEntry::ALLOC);
    if (action != ca::TraceEntry::ALLOC) return;
    allocations++;
    allocated_bytes += size;
    for (Window* w = windows; w; w = w->next) w->w.peak_requested = std::max(w->w.peak_requested, live);
  }
};

Device devices[kDevices];
std::atomic<bool> watching{false};

// Adds a reported block to the live bytes, or subtracts it, and returns the live bytes.
int64_t count(gt_cuda_counters& c, uint32_t* pressure, Action action, int64_t size) {
  if (action == ca::TraceEntry::FREE_COMPLETED) return __atomic_sub_fetch(&c.live_bytes, size, __ATOMIC_RELAXED);
  if (action != ca::TraceEntry::ALLOC) return 0;
  const int64_t live = __atomic_add_fetch(&c.live_bytes, size, __ATOMIC_RELAXED);
  if (live > __atomic_load_n(&c.threshold, __ATOMIC_RELAXED)) __atomic_store_n(pressure, 1, __ATOMIC_RELEASE);
  return live;
}

// The allocator calls this while it holds its lock.
void track(uint32_t* pressure, const ca::TraceEntry& e) {
  const Action action = e.action_;
  if (action != ca::TraceEntry::ALLOC && action != ca::TraceEntry::FREE_REQUESTED &&
      action != ca::TraceEntry::FREE_COMPLETED)
    return;
  if (e.device_ < 0 || e.device_ >= kDevices) return;
  const auto size = int64_t(e.size_);
  // Profiles must show the free when the tensor is freed, not later when the memory can
  // be reused.
  if (action != ca::TraceEntry::FREE_COMPLETED) {
    gt_mem_watched(e.addr_, action == ca::TraceEntry::ALLOC ? size : -size, e.device_);
  }
  auto& c = counters[e.device_];
  auto& d = devices[e.device_];
  if (__builtin_expect(d.open.load(std::memory_order_relaxed) == 0, 1)) {
    count(c, pressure, action, size);
    return;
  }
  const auto s = allocator()->getDeviceStats(e.device_);
  std::lock_guard<std::mutex> lock(d.mu);
  d.report(action, size, count(c, pressure, action, size), s);
}

// Runs f between two operations of a device's allocator. Reading the statistics takes the
// allocator's lock, so no operation is in progress then. If no operation was reported
// during f, none happened. Once open is above 0 and the lock was taken, all operations
// are reported to d.
template <typename F>
void at_rest(int device, F&& f) {
  auto& d = devices[device];
  for (;;) {
    uint64_t before;
    {
      std::lock_guard<std::mutex> lock(d.mu);
      before = d.reports;
    }
    const auto s = allocator()->getDeviceStats(static_cast<c10::DeviceIndex>(device));
    std::lock_guard<std::mutex> lock(d.mu);
    if (d.reports != before) continue;
    d.see(s, false);
    f(d, __atomic_load_n(&counters[device].live_bytes, __ATOMIC_RELAXED));
    return;
  }
}

}  // namespace

uintptr_t gt_cuda_watch(uint32_t* pressure) {
  return guarded([&] {
    gtcuda::native("reports of what it does")->attachAllocatorTraceTracker([pressure](const ca::TraceEntry& e) {
      track(pressure, e);
    });
    watching.store(true);
  });
}

uintptr_t gt_cuda_window_open(int device, int64_t* out_id) {
  return guarded([&] {
    TORCH_CHECK(device >= 0 && device < kDevices, "device cuda:", device, " is not followed");
    if (!watching) throw gt::MissingOperator("the allocator " + allocator()->name() + " does not report what it does");
    auto w = std::make_unique<Window>();
    devices[device].open++;
    try {
      at_rest(device, [&](Device& d, int64_t live) {
        w->id = *out_id = ++d.last_id;
        w->w.start_requested = w->w.peak_requested = live;
        w->w.start_allocated = w->w.peak_allocated = d.blocks;
        // The sums when the window was opened. gt_cuda_window_read subtracts them from
        // the current sums.
        w->w.allocations = d.allocations;
        w->w.allocated_bytes = d.allocated_bytes;
        w->next = d.windows;
        d.windows = w.release();
      });
    } catch (...) {
      devices[device].open--;
      throw;
    }
  });
}

uintptr_t gt_cuda_window_read(int device, int64_t id, gt_mem_window* out, int close) {
  std::unique_ptr<Window> closed;  // destroyed after the lock is released
  return guarded([&] {
    TORCH_CHECK(device >= 0 && device < kDevices, "device cuda:", device, " is not followed");
    at_rest(device, [&](Device& d, int64_t live) {
      Window** at = &d.windows;
      while (*at && (*at)->id != id) at = &(*at)->next;
      Window* w = *at;
      TORCH_CHECK(w, "window ", id, " of device cuda:", device, " is not open");
      *out = w->w;
      out->end_requested = live;
      out->end_allocated = d.blocks;
      out->allocations = d.allocations - w->w.allocations;
      out->allocated_bytes = d.allocated_bytes - w->w.allocated_bytes;
      if (!close) return;
      *at = w->next;
      closed.reset(w);
      d.open--;
    });
  });
}

#else  // without CUDA headers

using gtcuda::missing;

uintptr_t gt_cuda_watch(uint32_t*) { return missing(); }
uintptr_t gt_cuda_window_open(int, int64_t*) { return missing(); }
uintptr_t gt_cuda_window_read(int, int64_t, gt_mem_window*, int) { return missing(); }

#endif

#endif
