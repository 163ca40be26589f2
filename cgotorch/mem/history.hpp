// The part of history.h that the allocator calls to record events.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "alloc_sync.hpp"
#include "history.h"

namespace gt::history {

// One of GT_HISTORY_*, plus the bit kWatched if there is a watcher (see gt_mem_watch). If
// it is 0, no allocations or frees are recorded.
inline std::atomic<int> hooks{GT_HISTORY_OFF};
inline constexpr int kWatched = 1 << 8;
inline bool on() noexcept { return hooks.load(std::memory_order_relaxed) != GT_HISTORY_OFF; }
inline int mode() noexcept { return hooks.load(std::memory_order_relaxed) & ~kWatched; }

// Call allocated after a block is handed out, and freed before it is given back, so that
// the events of an address are in the right order.
void allocated(const void* p, size_t n) noexcept;
void freed(const void* p, size_t n) noexcept;
// Records an out-of-memory event. Returns its time, for retract, or 0 if events are not recorded.
int64_t out_of_memory(size_t n, int64_t left) noexcept;
// Removes an out-of-memory event, because the operator that failed is called again.
void retract(size_t n, int64_t time_us) noexcept;
void segment(int action, const void* p, size_t n) noexcept;

// Returns a malloc'd copy of the events recorded so far, in chronological order.
gt_event* copy_events(int64_t* n, int64_t* lost) noexcept;

// A block that was allocated while the history was on.
struct Live {
  uint64_t addr;
  int64_t size, time_us;
  uint32_t stack, forward;
};
bool find(uint64_t addr, Live* out) noexcept;
// Calls fn for each live block. A part of the table is locked during the call, so fn must not allocate.
void each(void (*fn)(const Live&, void*), void* arg);

// The stacks of the calling thread. history_site.cpp implements place
// with libtorch. The allocator's stress test has its own implementation.
struct Place {
  uint32_t stack, forward;
  bool in_operator;
};
Place place() noexcept;
void watch_operators(bool on) noexcept;

}  // namespace gt::history
