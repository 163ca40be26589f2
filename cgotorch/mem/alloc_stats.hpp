// Exact statistics of the CPU allocator.
//
// Peaks are exact only if all threads see all changes of a current value in the same
// order. So each allocation and each free takes one lock. All data that a free changes is
// in the lock's cache line. An allocation also reads the cache line of the peaks, which
// is written only while a peak rises. Sums over time are in the threads' caches. They are
// also written under the lock, so that its holder sees sums and current values from the
// same moment.
#pragma once

#include <limits>
#include <mutex>

#include "alloc.h"
#include "alloc_sync.hpp"

namespace gt::alloc {

enum Pool : int { kSmall = 0, kLarge = 1 };

// The effect on the statistics of a change to the heap's structure. It is applied in the
// same critical section as the allocation or free that caused it. Otherwise a peak could
// include an intermediate state.
struct HeapChange {
  // The increase in the number and bytes of blocks that are in use or are inactive
  // splits; see Peaks::blocks.
  int64_t blocks = 0, block_bytes = 0;
  // Inactive splits that the change has added and removed.
  int64_t splits_in = 0, split_bytes_in = 0;
  int64_t splits_out = 0, split_bytes_out = 0;
  // Segments that the change has taken from the system and returned to it.
  int64_t segs_in = 0, seg_bytes_in = 0;
  int64_t segs_out = 0, seg_bytes_out = 0;
  // Bytes counted by admit that are now part of the segments.
  int64_t admitted = 0;
};

// Sums over allocations: their number, the bytes of their blocks, and the requested
// bytes.
struct Sums {
  int64_t n = 0, blk = 0, req = 0;
};

// Returns the sums over all threads' caches, through which small blocks are allocated.
Sums slot_sums() noexcept;

class Stats {
 public:
  // Records an allocation of req bytes in a block of blk bytes.
  // count adds the allocation to the sums of the thread's cache.
  template <class F>
  void on_alloc(Pool p, int64_t blk, int64_t req, F&& count) noexcept {
    lock_.lock();
    alloc_locked(p, blk, req);
    count();
    lock_.unlock();
  }
  void on_free(Pool p, int64_t blk, int64_t req) noexcept {
    lock_.lock();
    free_locked(p, blk, req);
    lock_.unlock();
  }
  // Records an allocation or a free, with the resulting change to the heap's structure.
  // The allocation counts in the sums of this object, not of a thread's cache.
  void on_heap_alloc(Pool p, int64_t blk, int64_t req, const HeapChange& c) noexcept;
  void on_heap_free(Pool p, int64_t blk, int64_t req, const HeapChange& c) noexcept;
  // Records a change to the heap's structure.
  void on_change(Pool p, const HeapChange& c) noexcept;

  // Whether `bytes` more bytes from the system stay within limit, together with the bytes
  // admitted before. Admitted bytes count until a HeapChange includes them or dismiss is
  // called.
  bool admit(int64_t bytes, int64_t limit) noexcept;
  void dismiss(int64_t bytes) noexcept;

  void on_retry() noexcept;
  void on_oom() noexcept;
  // Undoes an on_oom, because the operator that failed is called again.
  void forgive_oom() noexcept;

  void read(gt_mem_stats* out) noexcept;
  void reset_peak() noexcept;
  void reset_accumulated() noexcept;

  int64_t window_open() noexcept;
  bool window_read(int64_t id, gt_mem_window* out, bool close) noexcept;

  int64_t allocated_bytes() noexcept;
  int64_t reserved_bytes() const noexcept {
    return std::atomic_ref(const_cast<int64_t&>(counters.reserved_bytes)).load(std::memory_order_relaxed);
  }

  gt_mem_counters counters{0, std::numeric_limits<int64_t>::max(), 0, 0, 0, 0, 0,
                           0, std::numeric_limits<int64_t>::max()};

 private:
  // The current values by pool. The number of inactive splits is peaks_.blocks - n.
  // peaks_.blocks counts the blocks that are in use or inactive. It changes only with the
  // heap's structure, so handing out an existing block does not change it.
  struct alignas(64) Now {
    int64_t n[2] = {0, 0}, blk[2] = {0, 0}, req[2] = {0, 0};
  };
  // The highest values since the last fold. Index 2 is for both pools together.
  struct alignas(64) Peaks {
    int64_t n[3] = {0, 0, 0}, blk[3] = {0, 0, 0}, req[3] = {0, 0, 0};
    int64_t splits[3] = {0, 0, 0}, split_bytes[3] = {0, 0, 0};
    int64_t blocks[2] = {0, 0}, block_bytes[2] = {0, 0};
  };

  static void raise(int64_t& peak, int64_t v) noexcept {
    if (GT_UNLIKELY(v > peak)) peak = v;
  }
  // Atomic access to words that Go reads and writes directly.
  template <class T>
  static auto word(T& w) noexcept {
    return std::atomic_ref<T>(w);
  }
  void publish(int64_t live, int64_t blocks) noexcept {
    word(counters.live_bytes).store(live, std::memory_order_relaxed);
    word(counters.blocks).store(blocks, std::memory_order_relaxed);
  }
  // Whether Go must check the memory. Only here do blocks have a cost in addition to their bytes.
  bool due(int64_t req, int64_t live, int64_t blocks) noexcept {
    const int64_t cost = word(counters.block_cost).load(std::memory_order_relaxed);
    const int64_t overhead = word(counters.overhead).load(std::memory_order_relaxed);
    const int64_t offered = word(counters.offered).load(std::memory_order_relaxed) + req + cost;
    word(counters.offered).store(offered, std::memory_order_relaxed);  // the lock is held, so no atomic add
    return live + blocks * cost + overhead > word(counters.threshold).load(std::memory_order_relaxed) ||
           offered > word(counters.look_at).load(std::memory_order_relaxed);
  }

  void alloc_locked(Pool p, int64_t blk, int64_t req) noexcept {
    now_.n[p] += 1;
    now_.blk[p] += blk;
    now_.req[p] += req;
    const int64_t live = now_.req[0] + now_.req[1], blocks = now_.n[0] + now_.n[1];
    publish(live, blocks);
    raise(peaks_.n[p], now_.n[p]);
    raise(peaks_.blk[p], now_.blk[p]);
    raise(peaks_.req[p], now_.req[p]);
    raise(peaks_.n[2], blocks);
    raise(peaks_.blk[2], now_.blk[0] + now_.blk[1]);
    raise(peaks_.req[2], live);
    if (GT_UNLIKELY(due(req, live, blocks))) {
      word(counters.pressure).store(1, std::memory_order_relaxed);
    }
  }
  void free_locked(Pool p, int64_t blk, int64_t req) noexcept {
    now_.n[p] -= 1;
    now_.blk[p] -= blk;
    now_.req[p] -= req;
    publish(now_.req[0] + now_.req[1], now_.n[0] + now_.n[1]);
    raise_splits();
  }
  void raise_splits() noexcept {
    const int64_t n0 = peaks_.blocks[0] - now_.n[0], n1 = peaks_.blocks[1] - now_.n[1];
    const int64_t b0 = peaks_.block_bytes[0] - now_.blk[0], b1 = peaks_.block_bytes[1] - now_.blk[1];
    raise(peaks_.splits[0], n0);
    raise(peaks_.splits[1], n1);
    raise(peaks_.splits[2], n0 + n1);
    raise(peaks_.split_bytes[0], b0);
    raise(peaks_.split_bytes[1], b1);
    raise(peaks_.split_bytes[2], b0 + b1);
  }
  void change_locked(Pool p, const HeapChange& c) noexcept;
  void fold_locked() noexcept;

  SpinLock lock_;
  Now now_;
  Peaks peaks_;

  // The other fields are used only on slow paths, under lock_.
  Sums heap_allocs_[2], heap_frees_[2];  // over blocks that no thread's cache has handed out
  struct Counted {
    int64_t current = 0, peak = 0, in = 0, out = 0;
    void add(int64_t i, int64_t o) {
      current += i - o;
      in += i;
      out += o;
      if (current > peak) peak = current;
    }
  };
  Counted segs_[3], seg_bytes_[3];
  int64_t admitted_ = 0;
  Sums splits_in_[2], splits_out_[2];  // from HeapChanges; their req is unused
  int64_t retries_ = 0, ooms_ = 0, device_alloc_ = 0, device_free_ = 0;
  // The sums at the last reset_accumulated.
  struct Total {
    Sums allocated, freed, splits_in, splits_out;
  };
  Total total_locked(int pool) const noexcept;
  Sums all_allocs_locked() const noexcept;
  Total base_[2];

  // Open windows. fold_locked updates their peaks.
  struct Window {
    int64_t id = 0;
    gt_mem_window w{};
    Window* next = nullptr;
  };
  Window* windows_ = nullptr;
  int64_t next_window_ = 0;
  // The peaks of the periods before the last fold.
  Peaks folded_;
};

}  // namespace gt::alloc
