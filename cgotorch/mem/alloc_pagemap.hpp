// A map from an address to the owner of its page: a block of the heap or a span of slots.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gt::alloc {

inline constexpr size_t kPageShift = 12;
inline constexpr size_t kPage = size_t{1} << kPageShift;

// A two-level radix tree over 48-bit addresses, with one word for each page of 4 KiB. A
// leaf covers 1 GiB of addresses. Leaves are never freed, but only their used parts are
// resident: 8 bytes for each page in use.
//
// get needs no lock, because the word for an address does not change until the memory is
// freed.
class PageMap {
 public:
  uintptr_t get(const void* p) const noexcept {
    const uintptr_t page = reinterpret_cast<uintptr_t>(p) >> kPageShift;
    const auto* leaf = top_[page >> kLeafBits].load(std::memory_order_acquire);
    return leaf ? leaf[page & (kLeaf - 1)].load(std::memory_order_relaxed) : 0;
  }

  // Makes the words for [p, p + bytes) writable. Returns false if out of memory.
  bool prepare(const void* p, size_t bytes) noexcept {
    const uintptr_t first = reinterpret_cast<uintptr_t>(p) >> kPageShift;
    const uintptr_t last = (reinterpret_cast<uintptr_t>(p) + bytes - 1) >> kPageShift;
    for (uintptr_t t = first >> kLeafBits; t <= last >> kLeafBits; t++) {
      if (top_[t].load(std::memory_order_acquire)) continue;
      void* m = mmap(nullptr, kLeaf * sizeof(Word), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (m == MAP_FAILED) return false;
      top_[t].store(static_cast<Word*>(m), std::memory_order_release);
    }
    return true;
  }

  void set(const void* p, uintptr_t v) noexcept {
    const uintptr_t page = reinterpret_cast<uintptr_t>(p) >> kPageShift;
    top_[page >> kLeafBits].load(std::memory_order_relaxed)[page & (kLeaf - 1)].store(
        v, std::memory_order_relaxed);
  }

 private:
  using Word = std::atomic<uintptr_t>;
  static constexpr size_t kLeafBits = 18, kLeaf = size_t{1} << kLeafBits;
  static constexpr size_t kTop = size_t{1} << (48 - kPageShift - kLeafBits);
  // Static, because there is only one map. Only the parts of its 2 MiB that are written
  // become resident.
  static inline constinit std::atomic<Word*> top_[kTop] = {};
};

}  // namespace gt::alloc
