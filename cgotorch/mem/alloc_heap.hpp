// The heap of whole pages. It gets segments from the system and divides them into blocks.
//
// A segment is mapped from the system at a 2 MiB boundary and divided into blocks of
// whole pages, in address order. A free block is immediately merged with free neighbors.
// Free blocks are in bins by size. Taking the first block from the lowest bin that fits
// takes constant time, and is within an eighth of the best fit.
//
// Segment sizes follow PyTorch's CUDA allocator, so that reserved bytes mean the same on
// both. Requests of up to 1 MiB (the small pool) get segments of 2 MiB. In the large
// pool, requests below 10 MiB get 20 MiB, and larger requests a multiple of 2 MiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "alloc_pagemap.hpp"
#include "alloc_stats.hpp"

namespace gt::alloc {

inline constexpr size_t kMiB = size_t{1} << 20;
inline constexpr size_t kSmallLimit = kMiB;          // largest request of the small pool
inline constexpr size_t kMaxRequest = size_t{1} << 46;  // larger requests fail at once

struct Block {
  char* ptr;
  size_t size;
  size_t requested;    // 0 while free
  Block *prev, *next;  // the blocks before and after this one in the segment
  Block *bin_prev, *bin_next;
  Block *seg_prev, *seg_next;  // links the first blocks of all segments, in no particular order
  int64_t free_since;  // for a free block: since when, in milliseconds
  Pool pool;
  bool free;
  bool dirty;          // pages of a free block, or after the tensor of a used one, may be resident
  bool split() const { return prev || next; }
};

class Heap {
 public:
  // Returns a block for `requested` bytes, or null if the system or the limit refuses.
  Block* alloc(size_t requested) noexcept;
  void free(Block* b) noexcept;

  // Returns a block of the small pool to be divided into slots. In the statistics, each of its
  // `slots` slots of slot_bytes counts as an inactive split, and the block itself does not count.
  Block* alloc_span(size_t bytes, int64_t slots, size_t slot_bytes) noexcept;
  void free_span(Block* b, int64_t slots, size_t slot_bytes, int64_t since) noexcept;

  // Returns to the system the memory that has been free since the time `before`: unmaps
  // segments without used blocks, and discards the pages of other free blocks.
  void purge(int64_t before) noexcept;

  // Discards the pages in used blocks that lie after the block's tensor.
  void purge_tails() noexcept;

  size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  void set_limit(size_t n) noexcept { limit_.store(n, std::memory_order_relaxed); }

  static int64_t now_ms() noexcept;

  // Locks the heap and calls fn with the first block of the first segment. From there, seg_next
  // leads to the other segments, and next to the other blocks of a segment.
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

// Returns the whole pages in [p, p + n) to the system. The system's pages may be larger
// than kPage. The contents are undefined afterwards.
void discard(char* p, size_t n) noexcept;

// The only heap of the process. Never destroyed, because tensors may outlive main.
Heap& heap() noexcept;

}  // namespace gt::alloc
