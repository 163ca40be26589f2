#include "alloc_heap.hpp"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "history.hpp"

namespace gt::alloc {

namespace {

constexpr size_t kSegmentAlign = 2 * kMiB;  // size of a huge page on x86-64 and arm64
constexpr size_t kLargeSegment = 20 * kMiB;
constexpr size_t kMinLargeSegment = 10 * kMiB;

// A trim returns to the system the memory that has been unused for at least kIdleMs.
// While the heap is in use, it trims itself at least every kTrimEveryMs.
constexpr int64_t kIdleMs = 10'000;
constexpr int64_t kTrimEveryMs = 1'000;

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

// Maps memory at a multiple of kSegmentAlign. Does not use MAP_NORESERVE: the system should refuse
// an absurd request with an error, not kill the process later.
char* map(size_t size) {
  const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
  void* m = mmap(nullptr, size + kSegmentAlign, prot, flags, -1, 0);
  if (m == MAP_FAILED) return nullptr;
  char* p = static_cast<char*>(m);
  char* aligned = reinterpret_cast<char*>(round_up(reinterpret_cast<uintptr_t>(p), kSegmentAlign));
  if (aligned > p) munmap(p, aligned - p);
  char* end = aligned + size;
  char* mapped_end = p + size + kSegmentAlign;
  if (mapped_end > end) munmap(end, mapped_end - end);
  return aligned;
}

}  // namespace

Heap& heap() noexcept {
  alignas(Heap) static char storage[sizeof(Heap)];
  static Heap* h = new (storage) Heap;
  return *h;
}

void discard(char* p, size_t n) noexcept {
#if defined(__APPLE__)
  constexpr int kGive = MADV_FREE;  // on macOS, MADV_DONTNEED keeps the pages
#else
  constexpr int kGive = MADV_DONTNEED;
#endif
  static const auto page = uintptr_t(sysconf(_SC_PAGESIZE));
  const uintptr_t from = round_up(reinterpret_cast<uintptr_t>(p), page);
  const uintptr_t to = (reinterpret_cast<uintptr_t>(p) + n) / page * page;
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, kGive);
}

int64_t Heap::now_ms() noexcept {
#if defined(CLOCK_MONOTONIC_COARSE)
  constexpr clockid_t kClock = CLOCK_MONOTONIC_COARSE;  // cheap, and precise enough for kIdleMs
#else
  constexpr clockid_t kClock = CLOCK_MONOTONIC;
#endif
  timespec t;
  clock_gettime(kClock, &t);
  return int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1'000'000;
}

// --- bins ---------------------------------------------------------------------

// Bins are by size, eight for each doubling, from one page up. A free block is in the bin
// with the largest size that is not above the block's size.
int Heap::bin_of(size_t size) noexcept {
  const size_t pages = size >> kPageShift;
  if (pages < 8) return int(pages);
  const int e = 63 - __builtin_clzl(pages);
  return (e - 2) * 8 + int((pages >> (e - 3)) & 7);
}

void Heap::bin_insert(Block* b) noexcept {
  const int i = bin_of(b->size);
  Block*& head = bins_[b->pool][i];
  b->bin_prev = nullptr;
  b->bin_next = head;
  if (head) head->bin_prev = b;
  head = b;
  nonempty_[b->pool][i / 64] |= uint64_t{1} << (i % 64);
}

void Heap::bin_remove(Block* b) noexcept {
  const int i = bin_of(b->size);
  if (b->bin_prev) {
    b->bin_prev->bin_next = b->bin_next;
  } else {
    bins_[b->pool][i] = b->bin_next;
    if (!b->bin_next) nonempty_[b->pool][i / 64] &= ~(uint64_t{1} << (i % 64));
  }
  if (b->bin_next) b->bin_next->bin_prev = b->bin_prev;
}

Block* Heap::new_block() noexcept {
  Block* b = spare_;
  if (b) {
    spare_ = b->next;
  } else {
    b = static_cast<Block*>(std::malloc(sizeof(Block)));
    if (!b) return nullptr;
  }
  std::memset(static_cast<void*>(b), 0, sizeof *b);
  return b;
}

void Heap::delete_block(Block* b) noexcept {
  b->next = spare_;
  spare_ = b;
}

// --- segments -----------------------------------------------------------------

// Maps a segment and returns it as one free block. The block is in no bin and does not count as a split.
Block* Heap::map_segment(Pool p, size_t size, HeapChange& c) noexcept {
  size_t bytes = p == kSmall            ? kSegmentAlign
                 : size < kMinLargeSegment ? kLargeSegment
                                           : round_up(size, kSegmentAlign);
  const size_t lim = limit(), reserved = size_t(stats.reserved_bytes());
  if (lim && reserved + bytes > lim) {
    bytes = round_up(size, kSegmentAlign);  // without spare room
    if (reserved + bytes > lim) return nullptr;
  }
  Block* b = new_block();
  if (!b) return nullptr;
  char* m = map(bytes);
  if (m && !pages.prepare(m, bytes)) {
    munmap(m, bytes);
    m = nullptr;
  }
  if (!m) {
    delete_block(b);
    return nullptr;
  }
#ifdef MADV_HUGEPAGE
  // Use huge pages, because filling a page table of 4 KiB pages takes a tenth of the time
  // of an operator on megabytes of data. Not in the small pool, where one small tensor
  // would make 2 MiB resident.
  if (p == kLarge) madvise(m, bytes, MADV_HUGEPAGE);
#endif
  GT_POISON(m, bytes);
  b->ptr = m;
  b->size = bytes;
  b->pool = p;
  b->free = true;
  b->dirty = false;
  // seg_next stays valid, because merging keeps the left block, so the first block stays the first.
  b->seg_next = segments_;
  if (segments_) segments_->seg_prev = b;
  segments_ = b;
  c.segs_in++;
  c.seg_bytes_in += int64_t(bytes);
  if (GT_UNLIKELY(history::on())) history::segment(GT_EVENT_SEGMENT_ALLOC, m, bytes);
  return b;
}

// Returns a used block of at least size bytes.
Block* Heap::take(Pool p, size_t size, HeapChange& c) noexcept {
  Block* b = nullptr;
  const int bin = bin_of(size);
  // Blocks in this bin may be too small, so check the first 16. If a block of exactly
  // this size was freed last, it is the first one.
  int looked = 0;
  for (Block* f = bins_[p][bin]; f && looked < 16; f = f->bin_next, looked++) {
    if (f->size >= size && (!b || f->size < b->size)) b = f;
    if (b && b->size == size) break;
  }
  if (!b) {
    for (int w = (bin + 1) / 64; w < kBins / 64 && !b; w++) {
      uint64_t bits = nonempty_[p][w];
      if (w == (bin + 1) / 64) bits &= ~uint64_t{0} << ((bin + 1) % 64);
      if (bits) b = bins_[p][w * 64 + __builtin_ctzl(bits)];
    }
  }
  if (b) {
    bin_remove(b);
    if (b->split()) {
      c.blocks--;
      c.block_bytes -= int64_t(b->size);
      c.splits_out++;
      c.split_bytes_out += int64_t(b->size);
    }
  } else if (!(b = map_segment(p, size, c))) {
    return nullptr;
  }

  // The remainder becomes a separate block if it is large enough. In the large pool, a
  // remainder of at most kSmallLimit stays part of this block.
  const size_t rest = b->size - size;
  if (p == kSmall ? rest >= kPage : rest > kSmallLimit) {
    if (Block* r = new_block()) {
      r->ptr = b->ptr + size;
      r->size = rest;
      r->pool = p;
      r->free = true;
      r->dirty = b->dirty;
      r->free_since = b->free_since;
      r->prev = b;
      r->next = b->next;
      if (r->next) r->next->prev = r;
      b->next = r;
      b->size = size;
      bin_insert(r);
      c.blocks++;
      c.block_bytes += int64_t(rest);
      c.splits_in++;
      c.split_bytes_in += int64_t(rest);
    }
  }
  b->free = false;
  return b;
}

// Merges b, the right neighbor of a, into a. Both must be free and in no bin.
Block* Heap::merge(Block* a, Block* b) noexcept {
  a->size += b->size;
  a->dirty |= b->dirty;
  a->next = b->next;
  if (a->next) a->next->prev = a;
  delete_block(b);
  return a;
}

void Heap::give(Block* b, HeapChange& c, int64_t since) noexcept {
  auto split_gone = [&](Block* n) {
    bin_remove(n);
    c.blocks--;
    c.block_bytes -= int64_t(n->size);
    c.splits_out++;
    c.split_bytes_out += int64_t(n->size);
  };
  GT_POISON(b->ptr, b->size);
  b->free = true;
  b->dirty = true;
  b->requested = 0;
  if (b->next && b->next->free) {
    split_gone(b->next);
    since = std::max(since, b->next->free_since);
    b = merge(b, b->next);
  }
  if (b->prev && b->prev->free) {
    split_gone(b->prev);
    since = std::max(since, b->prev->free_since);
    b = merge(b->prev, b);
  }
  b->free_since = since;
  bin_insert(b);
  if (b->split()) {
    c.blocks++;
    c.block_bytes += int64_t(b->size);
    c.splits_in++;
    c.split_bytes_in += int64_t(b->size);
  }
}

// --- the interface --------------------------------------------------------------

Block* Heap::alloc(size_t requested) noexcept {
  if (requested > kMaxRequest) return nullptr;
  const Pool p = requested <= kSmallLimit ? kSmall : kLarge;
  HeapChange c;
  std::lock_guard g(mu_);
  Block* b = take(p, round_up(requested, kPage), c);
  if (!b) return nullptr;
  b->requested = requested;
  GT_UNPOISON(b->ptr, requested);
  pages.set(b->ptr, reinterpret_cast<uintptr_t>(b));
  c.blocks++;
  c.block_bytes += int64_t(b->size);
  stats.on_heap_alloc(p, int64_t(b->size), int64_t(requested), c);
  return b;
}

void Heap::free(Block* b) noexcept {
  HeapChange c;
  std::lock_guard g(mu_);
  const auto size = int64_t(b->size), requested = int64_t(b->requested);
  const Pool p = b->pool;
  pages.set(b->ptr, 0);
  c.blocks--;
  c.block_bytes -= size;
  give(b, c, now_ms());
  stats.on_heap_free(p, size, requested, c);
  maybe_trim();
}

Block* Heap::alloc_span(size_t bytes, int64_t slots, size_t slot_bytes) noexcept {
  HeapChange c;
  std::lock_guard g(mu_);
  Block* b = take(kSmall, bytes, c);
  if (!b) return nullptr;
  c.blocks += slots;
  c.block_bytes += slots * int64_t(slot_bytes);
  c.splits_in += slots;
  c.split_bytes_in += slots * int64_t(slot_bytes);
  stats.on_change(kSmall, c);
  return b;
}

void Heap::free_span(Block* b, int64_t slots, size_t slot_bytes, int64_t since) noexcept {
  HeapChange c;
  std::lock_guard g(mu_);
  c.blocks -= slots;
  c.block_bytes -= slots * int64_t(slot_bytes);
  c.splits_out += slots;
  c.split_bytes_out += slots * int64_t(slot_bytes);
  for (size_t o = 0; o < b->size; o += kPage) pages.set(b->ptr + o, 0);
  give(b, c, since);
  stats.on_change(kSmall, c);
}

void Heap::purge_pool(Pool p, int64_t before, HeapChange& c) noexcept {
  for (int w = 0; w < kBins / 64; w++) {
    if (!nonempty_[p][w]) continue;
    for (int i = w * 64; i < w * 64 + 64; i++) {
      for (Block *b = bins_[p][i], *next; b; b = next) {
        next = b->bin_next;
        if (b->free_since > before) continue;
        if (!b->split()) {
          bin_remove(b);
          GT_UNPOISON(b->ptr, b->size);
          if (GT_UNLIKELY(history::on())) history::segment(GT_EVENT_SEGMENT_FREE, b->ptr, b->size);
          (b->seg_prev ? b->seg_prev->seg_next : segments_) = b->seg_next;
          if (b->seg_next) b->seg_next->seg_prev = b->seg_prev;
          munmap(b->ptr, b->size);
          c.segs_out++;
          c.seg_bytes_out += int64_t(b->size);
          delete_block(b);
        } else if (b->dirty) {
          discard(b->ptr, b->size);
          b->dirty = false;
        }
      }
    }
  }
}

void Heap::purge(int64_t before) noexcept {
  std::lock_guard g(mu_);
  for (Pool p : {kSmall, kLarge}) {
    HeapChange c;
    purge_pool(p, before, c);
    stats.on_change(p, c);
  }
}

// A used block may be larger than its tensor, if the remainder was too small for a
// separate block. Discards the pages after the tensor.
void Heap::purge_tails() noexcept {
  std::lock_guard g(mu_);
  for (Block* first = segments_; first; first = first->seg_next) {
    for (Block* b = first; b; b = b->next) {
      if (b->free || !b->dirty || !b->requested) continue;
      b->dirty = false;
      const size_t used = round_up(b->requested, kPage);
      if (used < b->size) discard(b->ptr + used, b->size - used);
    }
  }
}

void Heap::maybe_trim() noexcept {
  const int64_t now = now_ms();
  if (now - last_trim_ < kTrimEveryMs) return;
  last_trim_ = now;
  for (Pool p : {kSmall, kLarge}) {
    HeapChange c;
    purge_pool(p, now - kIdleMs, c);
    stats.on_change(p, c);
  }
}

}  // namespace gt::alloc
