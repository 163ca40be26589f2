#include "alloc_core.hpp"

#include <limits>

#include "alloc_heap.hpp"
#include "alloc_small.hpp"

namespace gt::alloc {

namespace {

std::atomic<bool> system_mode{false};

void* try_allocate(size_t n) noexcept {
  if (n <= kMaxSlot) return slot_alloc(n);
  Block* b = heap().alloc(n);
  return b ? b->ptr : nullptr;
}

void purge_all(bool discard) noexcept {
  if (system_mode.load(std::memory_order_relaxed)) return;
  slot_purge(discard);
  heap().purge(std::numeric_limits<int64_t>::max());
}

__attribute__((noinline, cold)) void* allocate_again(size_t n) noexcept {
  heap().stats.on_retry();
  purge_all(true);
  void* p = try_allocate(n);
  if (!p) heap().stats.on_oom();
  return p;
}

HeapChange system_change(int64_t blocks, int64_t bytes) {
  HeapChange c;
  c.blocks = blocks;
  c.block_bytes = blocks * bytes;
  (blocks > 0 ? c.segs_in : c.segs_out) = 1;
  (blocks > 0 ? c.seg_bytes_in : c.seg_bytes_out) = bytes;
  return c;
}

}  // namespace

void* allocate(size_t n) noexcept {
  void* p = try_allocate(n);
  return GT_LIKELY(p != nullptr) ? p : allocate_again(n);
}

size_t deallocate(void* p) noexcept {
  const uintptr_t v = heap().pages.get(p);
  if (GT_LIKELY(v & kSpanBit)) return slot_free(reinterpret_cast<Span*>(v & ~kSpanBit), p);
  auto* b = reinterpret_cast<Block*>(v);
  const size_t n = b->requested;
  heap().free(b);
  return n;
}

size_t requested_size(const void* p) noexcept {
  const uintptr_t v = heap().pages.get(p);
  if (v & kSpanBit) return slot_requested(reinterpret_cast<Span*>(v & ~kSpanBit), p);
  return reinterpret_cast<Block*>(v)->requested;
}

Figures figures() noexcept {
  Heap& h = heap();
  return {h.stats.allocated_bytes(), h.stats.reserved_bytes(), int64_t(h.limit())};
}

void use_system() noexcept { system_mode = true; }
bool is_system() noexcept { return system_mode.load(std::memory_order_relaxed); }

// With the system allocator, every block counts as a segment, and nothing is cached.
void count_system_alloc(size_t n, size_t header) noexcept {
  const auto bytes = int64_t(n + header);
  HeapChange c = system_change(1, bytes);
  c.admitted = bytes;
  heap().stats.on_heap_alloc(n <= kSmallLimit ? kSmall : kLarge, bytes, int64_t(n), c);
}

void count_system_free(size_t n, size_t header) noexcept {
  const auto bytes = int64_t(n + header);
  heap().stats.on_heap_free(n <= kSmallLimit ? kSmall : kLarge, bytes, int64_t(n), system_change(-1, bytes));
}

bool system_admits(size_t n) noexcept {
  Heap& h = heap();
  if (h.stats.admit(int64_t(n), int64_t(h.limit()))) return true;
  h.stats.on_retry();
  return false;
}

void system_dismiss(size_t n) noexcept { heap().stats.dismiss(int64_t(n)); }

void count_system_oom() noexcept { heap().stats.on_oom(); }

void forgive_oom() noexcept { heap().stats.forgive_oom(); }

}  // namespace gt::alloc

// --- alloc.h --------------------------------------------------------------------

using namespace gt::alloc;

extern "C" {

gt_mem_counters* gt_mem_counters_addr(void) { return &heap().stats.counters; }

void gt_mem_get_stats(gt_mem_stats* out) { heap().stats.read(out); }
void gt_mem_reset_peak(void) { heap().stats.reset_peak(); }
void gt_mem_reset_accumulated(void) { heap().stats.reset_accumulated(); }

void gt_mem_empty_cache(void) {
  purge_all(true);
  heap().purge_tails();
}

void gt_mem_trim(int64_t min_age_ms) {
  const int64_t now = Heap::now_ms(), before = now - min_age_ms;
  if (!is_system()) slot_trim(now, before);
  heap().purge(before);
}

int64_t gt_mem_set_limit(int64_t bytes) {
  Heap& h = heap();
  if (bytes > 0 && h.stats.reserved_bytes() > bytes) {
    purge_all(true);
    const int64_t left = h.stats.reserved_bytes();
    if (left > bytes) return left;
  }
  h.set_limit(bytes > 0 ? size_t(bytes) : 0);
  return 0;
}
int64_t gt_mem_get_limit(void) { return int64_t(heap().limit()); }

int64_t gt_mem_window_open(void) { return heap().stats.window_open(); }
int gt_mem_window_read(int64_t id, gt_mem_window* out, int close) {
  return heap().stats.window_read(id, out, close != 0);
}

const char* gt_mem_backend(void) {
  return system_mode.load(std::memory_order_relaxed) ? "system" : "caching";
}

}  // extern "C"
