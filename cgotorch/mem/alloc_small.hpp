// Slots: the blocks of up to 32 KiB, which most tensors of a small model and
// every scalar are. Two levels above the heap:
//
//   SlotClass    per size: spans (runs of pages cut into slots of that size)
//                and a bitmap of the free slots of each, under a lock
//   ThreadCache  per thread: a few free slots of each size, under a lock that
//                only a purge, a snapshot or the thread's end ever contends
//
// A free slot is never written to: its place in a cache or bitmap is kept
// outside of it, so a purge can discard the pages of free slots, and a stray
// write through a dangling pointer cannot damage the allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "alloc_heap.hpp"
#include "alloc_sizes.hpp"

namespace gt::alloc {

inline constexpr int kMaxSlots = 1024;  // in a span

struct Span {
  char* base;
  Block* block;
  uint32_t size;      // of a slot
  uint32_t inverse;   // ceil(2^32 / size): a multiplication instead of a division
  uint16_t slots, free_slots;
  uint8_t cls;
  bool listed;        // in the class's list of spans with free slots
  bool clean;         // the free slots' pages are discarded
  Span *prev, *next;
  uint64_t free_bits[kMaxSlots / 64];
  uint32_t requested[];  // by slot; 0 = not handed out

  uint32_t index(const void* p) const {
    return uint32_t((uint64_t(static_cast<const char*>(p) - base) * inverse) >> 32);
  }
};

// A free slot in a thread's cache, with the place where its size is noted, so
// that handing it out needs no look at its span.
struct Slot {
  char* ptr;
  uint32_t* requested;
};

// Allocates n bytes, 0 < n <= kMaxSlot; null if the heap is exhausted.
void* slot_alloc(size_t n) noexcept;
// Frees p, whose page belongs to s. Returns the size it was allocated with.
size_t slot_free(Span* s, void* p) noexcept;
size_t slot_requested(const Span* s, const void* p) noexcept;

// Moves every thread's cached slots back and returns spans without a used slot
// to the heap. With discard, pages of spans in use that lie wholly within free
// slots go back to the system too.
void slot_purge(bool discard) noexcept;

// The same for what no thread used since before. Uses are seen at the next call,
// as if they had been then.
void slot_trim(int64_t now, int64_t before) noexcept;

// Holds every cache and size class still, so that no slot comes or goes. Taken
// before the heap's lock.
void slot_lock_all() noexcept;
void slot_unlock_all() noexcept;

// A page that belongs to a span is marked in the page map by this bit.
inline constexpr uintptr_t kSpanBit = 1;

}  // namespace gt::alloc
