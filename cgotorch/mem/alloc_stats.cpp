#include "alloc_stats.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace gt::alloc {

namespace {
using Guard = std::lock_guard<SpinLock>;

void add(Sums& s, int64_t n, int64_t blk, int64_t req) {
  s.n += n;
  s.blk += blk;
  s.req += req;
}
Sums plus(const Sums& a, const Sums& b) { return {a.n + b.n, a.blk + b.blk, a.req + b.req}; }
Sums minus(const Sums& a, const Sums& b) { return {a.n - b.n, a.blk - b.blk, a.req - b.req}; }
}  // namespace

void Stats::change_locked(Pool p, const HeapChange& c) noexcept {
  peaks_.blocks[p] += c.blocks;
  peaks_.block_bytes[p] += c.block_bytes;
  add(splits_in_[p], c.splits_in, c.split_bytes_in, 0);
  add(splits_out_[p], c.splits_out, c.split_bytes_out, 0);
  admitted_ -= c.admitted;
  if (c.segs_in || c.segs_out) {
    for (int i : {int(p), 2}) {
      segs_[i].add(c.segs_in, c.segs_out);
      seg_bytes_[i].add(c.seg_bytes_in, c.seg_bytes_out);
    }
    device_alloc_ += c.segs_in;
    device_free_ += c.segs_out;
    std::atomic_ref(counters.reserved_bytes).store(seg_bytes_[2].current, std::memory_order_relaxed);
  }
}

void Stats::on_heap_alloc(Pool p, int64_t blk, int64_t req, const HeapChange& c) noexcept {
  Guard g(lock_);
  change_locked(p, c);
  alloc_locked(p, blk, req);
  raise_splits();
  add(heap_allocs_[p], 1, blk, req);
}

void Stats::on_heap_free(Pool p, int64_t blk, int64_t req, const HeapChange& c) noexcept {
  Guard g(lock_);
  change_locked(p, c);
  free_locked(p, blk, req);
  add(heap_frees_[p], 1, blk, req);
}

void Stats::on_change(Pool p, const HeapChange& c) noexcept {
  Guard g(lock_);
  change_locked(p, c);
  raise_splits();
}

bool Stats::admit(int64_t bytes, int64_t limit) noexcept {
  Guard g(lock_);
  const int64_t room = limit - seg_bytes_[2].current - admitted_;
  if (limit && bytes > room) return false;
  admitted_ += bytes;
  return true;
}

void Stats::dismiss(int64_t bytes) noexcept {
  Guard g(lock_);
  admitted_ -= bytes;
}

void Stats::on_retry() noexcept {
  Guard g(lock_);
  retries_++;
}

void Stats::on_oom() noexcept {
  Guard g(lock_);
  ooms_++;
}

void Stats::forgive_oom() noexcept {
  Guard g(lock_);
  if (ooms_ > 0) ooms_--;  // ooms_ may be 0, if the statistics were reset since
}

int64_t Stats::allocated_bytes() noexcept {
  Guard g(lock_);
  return now_.blk[0] + now_.blk[1];
}

// Starts a new period, whose peaks start at the current values. The peaks of the
// ended period are merged into the peaks of the process and of every open window.
void Stats::fold_locked() noexcept {
  auto up = [](int64_t* to, const int64_t* from, int n) {
    for (int i = 0; i < n; i++) to[i] = std::max(to[i], from[i]);
  };
  up(folded_.n, peaks_.n, 3);
  up(folded_.blk, peaks_.blk, 3);
  up(folded_.req, peaks_.req, 3);
  up(folded_.splits, peaks_.splits, 3);
  up(folded_.split_bytes, peaks_.split_bytes, 3);
  for (Window* w = windows_; w; w = w->next) {
    w->w.peak_requested = std::max(w->w.peak_requested, peaks_.req[2]);
    w->w.peak_allocated = std::max(w->w.peak_allocated, peaks_.blk[2]);
  }
  auto now = [](int64_t* peak, const int64_t* v) {
    peak[0] = v[0];
    peak[1] = v[1];
    peak[2] = v[0] + v[1];
  };
  now(peaks_.n, now_.n);
  now(peaks_.blk, now_.blk);
  now(peaks_.req, now_.req);
  const int64_t splits[2] = {peaks_.blocks[0] - now_.n[0], peaks_.blocks[1] - now_.n[1]};
  const int64_t bytes[2] = {peaks_.block_bytes[0] - now_.blk[0], peaks_.block_bytes[1] - now_.blk[1]};
  now(peaks_.splits, splits);
  now(peaks_.split_bytes, bytes);
}

Stats::Total Stats::total_locked(int p) const noexcept {
  const Sums through_caches = p == kSmall ? slot_sums() : Sums{};
  const Sums current{now_.n[p], now_.blk[p], now_.req[p]};
  const Sums heap_current = minus(heap_allocs_[p], heap_frees_[p]);
  const Sums slot_frees = minus(through_caches, minus(current, heap_current));
  Total t;
  t.allocated = plus(through_caches, heap_allocs_[p]);
  t.freed = plus(slot_frees, heap_frees_[p]);
  // A slot that is free is an inactive split.
  t.splits_in = plus(splits_in_[p], slot_frees);
  t.splits_out = plus(splits_out_[p], through_caches);
  return t;
}

Sums Stats::all_allocs_locked() const noexcept {
  return plus(plus(slot_sums(), heap_allocs_[kSmall]), heap_allocs_[kLarge]);
}

void Stats::read(gt_mem_stats* out) noexcept {
  Guard g(lock_);
  fold_locked();
  std::memset(out, 0, sizeof *out);
  for (int p : {kSmall, kLarge}) {
    Total t = total_locked(p);
    t.allocated = minus(t.allocated, base_[p].allocated);
    t.freed = minus(t.freed, base_[p].freed);
    t.splits_in = minus(t.splits_in, base_[p].splits_in);
    t.splits_out = minus(t.splits_out, base_[p].splits_out);
    out->allocation[p + 1] = {now_.n[p], folded_.n[p], t.allocated.n, t.freed.n};
    out->allocated_bytes[p + 1] = {now_.blk[p], folded_.blk[p], t.allocated.blk, t.freed.blk};
    out->requested_bytes[p + 1] = {now_.req[p], folded_.req[p], t.allocated.req, t.freed.req};
    out->inactive_split[p + 1] = {peaks_.blocks[p] - now_.n[p], folded_.splits[p], t.splits_in.n, t.splits_out.n};
    out->inactive_split_bytes[p + 1] = {peaks_.block_bytes[p] - now_.blk[p], folded_.split_bytes[p],
                                        t.splits_in.blk, t.splits_out.blk};
  }
  auto total = [](gt_mem_stat* s, int64_t peak) {
    s[0] = {s[1].current + s[2].current, peak, s[1].allocated + s[2].allocated, s[1].freed + s[2].freed};
  };
  total(out->allocation, folded_.n[2]);
  total(out->allocated_bytes, folded_.blk[2]);
  total(out->requested_bytes, folded_.req[2]);
  total(out->inactive_split, folded_.splits[2]);
  total(out->inactive_split_bytes, folded_.split_bytes[2]);
  for (int i = 0; i < 3; i++) {
    // On the CPU no block waits for a stream, so all allocated memory is active.
    out->active[i] = out->allocation[i];
    out->active_bytes[i] = out->allocated_bytes[i];
    const Counted& s = segs_[(i + 2) % 3];
    const Counted& b = seg_bytes_[(i + 2) % 3];
    out->segment[i] = {s.current, s.peak, s.in, s.out};
    out->reserved_bytes[i] = {b.current, b.peak, b.in, b.out};
  }
  out->num_alloc_retries = retries_;
  out->num_ooms = ooms_;
  out->num_device_alloc = device_alloc_;
  out->num_device_free = device_free_;
  out->max_split_size = -1;  // no limit; CUDA's statistics also report it as -1
}

void Stats::reset_peak() noexcept {
  Guard g(lock_);
  fold_locked();
  const Peaks now = peaks_;
  folded_ = now;
  for (int i = 0; i < 3; i++) {
    segs_[i].peak = segs_[i].current;
    seg_bytes_[i].peak = seg_bytes_[i].current;
  }
}

void Stats::reset_accumulated() noexcept {
  Guard g(lock_);
  for (int p : {kSmall, kLarge}) base_[p] = total_locked(p);
  for (int i = 0; i < 3; i++) segs_[i].in = segs_[i].out = seg_bytes_[i].in = seg_bytes_[i].out = 0;
  retries_ = ooms_ = device_alloc_ = device_free_ = 0;
}

// Stores the current sums. window_read subtracts them from the sums when it runs.
int64_t Stats::window_open() noexcept {
  auto* w = new (std::nothrow) Window;
  if (!w) return 0;
  Guard g(lock_);
  fold_locked();
  w->id = ++next_window_;
  w->w.start_requested = w->w.peak_requested = peaks_.req[2];
  w->w.start_allocated = w->w.peak_allocated = peaks_.blk[2];
  const Sums s = all_allocs_locked();
  w->w.allocations = s.n;
  w->w.allocated_bytes = s.req;
  w->next = windows_;
  windows_ = w;
  return w->id;
}

bool Stats::window_read(int64_t id, gt_mem_window* out, bool close) noexcept {
  Window* closed = nullptr;
  {
    Guard g(lock_);
    Window** at = &windows_;
    while (*at && (*at)->id != id) at = &(*at)->next;
    Window* w = *at;
    if (!w) return false;
    fold_locked();
    const Sums s = all_allocs_locked();
    *out = w->w;
    out->end_requested = peaks_.req[2];
    out->end_allocated = peaks_.blk[2];
    out->allocations = s.n - w->w.allocations;
    out->allocated_bytes = s.req - w->w.allocated_bytes;
    if (close) {
      *at = w->next;
      closed = w;
    }
  }
  delete closed;
  return true;
}

}  // namespace gt::alloc
