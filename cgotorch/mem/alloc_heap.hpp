// The heap of whole pages: segments from the system, blocks within them.
//
// A segment is mapped from the system at a 2 MiB boundary and tiled by blocks,
// in address order, of whole pages. A free block merges with free neighbours at
// once. Free blocks hang in bins by size; taking the first that fits from the
// lowest bin is within an eighth of the best fit and takes constant time.
//
// Segment sizes follow PyTorch's CUDA allocator, so that the reserved numbers
// mean the same on both: 2 MiB for requests of up to 1 MiB (the small pool),
// 20 MiB for those below 10 MiB, else a multiple of 2 MiB (the large pool).
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "alloc_pagemap.hpp"
#include "alloc_stats.hpp"

namespace gt::alloc {

inline constexpr size_t kMiB = size_t{1} << 20;
inline constexpr size_t kSmallLimit = kMiB;          // largest request of the small pool
inline constexpr size_t kMaxRequest = size_t{1} << 46;  // beyond: out of memory at once

struct Block {
  char* ptr;
  size_t size;
  size_t requested;    // 0 while free
  Block *prev, *next;  // neighbours in the segment, by address
  Block *bin_prev, *bin_next;
  Block *seg_prev, *seg_next;  // the first blocks of all segments, in no order
  int64_t free_since;  // milliseconds, while free
  Pool pool;
  bool free;
  bool dirty;          // while free: may hold resident pages; in use: so may its tail
  bool split() const { return prev || next; }
};

class Heap {
 public:
  // A block for `requested` bytes, or null if the system or the limit refuses.
  Block* alloc(size_t requested) noexcept;
  void free(Block* b) noexcept;

  // A block of the small pool that serves as raw material for slots: neither
  // counted as an allocation nor as inactive, `slots` of slot_bytes are.
  Block* alloc_span(size_t bytes, int64_t slots, size_t slot_bytes) noexcept;
  void free_span(Block* b, int64_t slots, size_t slot_bytes, int64_t since) noexcept;

  // Gives back what has been free since `before`: unmaps segments without a
  // used block and discards the pages of other free blocks.
  void purge(int64_t before) noexcept;

  // Discards the pages of used blocks that lie behind their tensors.
  void purge_tails() noexcept;

  size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  void set_limit(size_t n) noexcept { limit_.store(n, std::memory_order_relaxed); }

  static int64_t now_ms() noexcept;

  // Calls fn with the first block of some segment while the heap is locked:
  // seg_next leads to the other segments, next through the blocks of one.
  template <class F>
  void inspect(F&& fn) {
    std::lock_guard g(mu_);
    fn(segments_);
  }

  PageMap pages;
  Stats stats;

 private:
  Block* take(Pool p, size_t size, HeapChange& c) noexcept;
  Block* map_segment(Pool p, size_t size, HeapChange& c) noexcept;
  void give(Block* b, HeapChange& c, int64_t since) noexcept;
  void purge_pool(Pool p, int64_t before, HeapChange& c) noexcept;
  void maybe_trim() noexcept;
  Block* merge(Block* a, Block* b) noexcept;

  static int bin_of(size_t size) noexcept;
  void bin_insert(Block* b) noexcept;
  void bin_remove(Block* b) noexcept;
  Block* new_block() noexcept;
  void delete_block(Block* b) noexcept;

  static constexpr int kBins = 384;
  std::mutex mu_;
  Block* bins_[2][kBins] = {};
  uint64_t nonempty_[2][kBins / 64] = {};
  Block* spare_ = nullptr;
  Block* segments_ = nullptr;
  int64_t last_trim_ = 0;
  std::atomic<size_t> limit_{0};
};

// Gives the memory of [p, p + n) back to the system, as far as it is whole pages
// of the system's, which may be larger than kPage. What it holds afterwards is
// anything.
void discard(char* p, size_t n) noexcept;

// The one heap of the process; never destroyed, as tensors may outlive main.
Heap& heap() noexcept;

}  // namespace gt::alloc
