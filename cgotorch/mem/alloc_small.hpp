// Slots: blocks of up to 32 KiB, such as every scalar and most tensors of a small model.
// There are two levels above the heap:
//
//   SlotClass    per size: spans (runs of pages divided into slots of that size)
//                and a bitmap of the free slots of each, under a lock
//   ThreadCache  per thread: a few free slots of each size, under a lock that
//                is contended only by a purge, a snapshot or the thread's end
//
// A free slot is never written to, because caches and bitmaps are elsewhere. So a purge
// can discard the pages of free slots, and a stray write through a dangling pointer
// cannot damage the allocator.
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
  uint32_t inverse;   // ceil(2^32 / size), to divide by multiplying
  uint16_t slots, free_slots;
  uint8_t cls;
  bool listed;        // whether the span is in its class's list of spans with free slots
  bool clean;         // whether the pages of free slots were discarded
  Span *prev, *next;
  uint64_t free_bits[kMaxSlots / 64];
  uint32_t requested[];  // by slot; 0 = free

  uint32_t index(const void* p) const {
    return uint32_t((uint64_t(static_cast<const char*>(p) - base) * inverse) >> 32);
  }
};

// A free slot in a thread's cache. It includes the address that stores the slot's
// requested size, so that the slot can be handed out without reading its span.
struct Slot {
  char* ptr;
  uint32_t* requested;
};

// Allocates n bytes, 0 < n <= kMaxSlot. Returns null if the heap is exhausted.
void* slot_alloc(size_t n) noexcept;
// Frees p, whose page belongs to s. Returns the size that was requested for it.
size_t slot_free(Span* s, void* p) noexcept;
size_t slot_requested(const Span* s, const void* p) noexcept;

// Moves the slots out of every thread's cache, and returns spans without used slots to
// the heap. With discard, it also returns memory to the system: the pages of other spans
// that contain only free slots.
void slot_purge(bool discard) noexcept;

// Does the same for slots that have not been used since the time `before`. A use is
// recorded with the time of the next trim.
void slot_trim(int64_t now, int64_t before) noexcept;

// Locks all caches and size classes, so that no slot is taken or given back. The heap's lock must
// be taken after this, not before.
void slot_lock_all() noexcept;
void slot_unlock_all() noexcept;

// This bit of the page map marks a page of a span.
inline constexpr uintptr_t kSpanBit = 1;

}  // namespace gt::alloc
