// The recording side of history.h, for the allocator.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "alloc_sync.hpp"
#include "history.h"

namespace gt::history {

// What is recorded: one of GT_HISTORY_*, and kWatched while somebody else follows the
// allocator, see gt_mem_watch. It is all that an allocation reads while neither is so.
inline std::atomic<int> hooks{GT_HISTORY_OFF};
inline constexpr int kWatched = 1 << 8;
inline bool on() noexcept { return hooks.load(std::memory_order_relaxed) != GT_HISTORY_OFF; }
inline int mode() noexcept { return hooks.load(std::memory_order_relaxed) & ~kWatched; }

// To be called after a block was handed out, and before one is given back: so
// the events of an address stand in the order in which they happened.
void allocated(const void* p, size_t n) noexcept;
void freed(const void* p, size_t n) noexcept;
// Returns the time of the event, for retract; 0 if none is recorded.
int64_t out_of_memory(size_t n, int64_t left) noexcept;
// Takes an out_of_memory back: the operator is called again.
void retract(size_t n, int64_t time_us) noexcept;
void segment(int action, const void* p, size_t n) noexcept;

// The events recorded so far, malloc'd, in the order of time.
gt_event* copy_events(int64_t* n, int64_t* lost) noexcept;

// A block that was allocated while history was on.
struct Live {
  uint64_t addr;
  int64_t size, time_us;
  uint32_t stack, forward;
};
bool find(uint64_t addr, Live* out) noexcept;
// Calls fn for each, with a part of the table locked: fn may not allocate.
void each(void (*fn)(const Live&, void*), void* arg);

// Where the calling thread is. Provided by history_site.cpp, which knows
// libtorch; the allocator's stress test has one of its own.
struct Place {
  uint32_t stack, forward;
  bool in_operator;
};
Place place() noexcept;
void watch_operators(bool on) noexcept;

}  // namespace gt::history
