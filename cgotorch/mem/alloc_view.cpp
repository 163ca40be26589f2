// Copies the heap's segments and blocks, with data from the history.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "alloc_core.hpp"
#include "alloc_heap.hpp"
#include "alloc_small.hpp"
#include "history.hpp"

namespace gt::alloc {

namespace {

struct View {
  std::vector<gt_segment> segments;
  std::vector<gt_block> blocks;

  void begin(const void* p, bool large) {
    gt_segment s{};
    s.addr = reinterpret_cast<uint64_t>(p);
    s.first_block = int64_t(blocks.size());
    s.large = large;
    segments.push_back(s);
  }
  void add(const char* p, size_t size, size_t requested) {
    gt_segment& s = segments.back();
    s.size += int64_t(size);
    const bool used = requested != 0;
    // Merge adjacent free slots into one block, because free blocks of the large pool are
    // merged too.
    if (!used && s.blocks && !blocks.back().used) {
      blocks.back().size += int64_t(size);
      return;
    }
    gt_block b{};
    b.addr = reinterpret_cast<uint64_t>(p);
    b.size = int64_t(size);
    b.used = used;
    if (used) {
      b.requested = int64_t(requested);
      s.allocated += int64_t(size);
      s.requested += int64_t(requested);
      gt::history::Live l;
      if (gt::history::find(b.addr, &l)) {
        b.time_us = l.time_us;
        b.stack = l.stack;
        b.forward = l.forward;
      }
    }
    s.blocks++;
    blocks.push_back(b);
  }
  void add_span(const Span* s) {
    for (int i = 0; i < s->slots; i++) {
      const uint32_t n = std::atomic_ref(const_cast<uint32_t&>(s->requested[i])).load(std::memory_order_relaxed);
      add(s->base + size_t(i) * s->size, s->size, n);
    }
    const size_t tail = s->block->size - size_t(s->slots) * s->size;
    if (tail) add(s->base + size_t(s->slots) * s->size, tail, 0);
  }
};

template <class T>
bool copy_out(const std::vector<T>& v, T** out, int64_t* n) {
  *out = static_cast<T*>(std::malloc(std::max<size_t>(v.size(), 1) * sizeof(T)));
  if (!*out) return false;
  if (!v.empty()) std::memcpy(*out, v.data(), v.size() * sizeof(T));
  *n = int64_t(v.size());
  return true;
}

struct SlotLocks {
  SlotLocks() { slot_lock_all(); }
  ~SlotLocks() { slot_unlock_all(); }
};

void add_segment(View& v, const Block* first) {
  v.begin(first->ptr, first->pool == kLarge);
  for (const Block* b = first; b; b = b->next) {
    if (!b->free && !b->requested) {  // a run of slots
      const uintptr_t word = heap().pages.get(b->ptr);
      if (word & kSpanBit) {
        v.add_span(reinterpret_cast<Span*>(word & ~kSpanBit));
        continue;
      }
    }
    v.add(b->ptr, b->size, b->free ? 0 : b->requested);
  }
}

// Copy the events under the heap's lock too. The segments in the events must match the
// copied segments; otherwise a viewer that replays the events fails.
template <class F>
void look(View& v, F&& copy_events) {
  SlotLocks slots;
  heap().inspect([&](const Block* first) {
    for (; first; first = first->seg_next) add_segment(v, first);
    copy_events();
  });
}

// libtorch's own allocator has no list of blocks, so the view contains only blocks that
// the history has recorded. Each block is a segment.
template <class F>
void look_system(View& v, F&& copy_events) {
  std::vector<gt::history::Live> live;
  live.reserve(1024);
  gt::history::each(
      [](const gt::history::Live& b, void* to) { static_cast<decltype(live)*>(to)->push_back(b); }, &live);
  std::sort(live.begin(), live.end(), [](const auto& a, const auto& b) { return a.addr < b.addr; });
  for (const auto& b : live) {
    const auto* p = reinterpret_cast<const char*>(b.addr);
    v.begin(p, size_t(b.size) > kSmallLimit);
    v.add(p, size_t(b.size), size_t(b.size));
  }
  copy_events();
}

}  // namespace

}  // namespace gt::alloc

extern "C" {

int gt_heap_view_take(gt_heap_view* out, int with_events) {
  using namespace gt::alloc;
  *out = {};
  try {
    View v;
    auto events = [&] {
      if (with_events) out->events = gt::history::copy_events(&out->n_events, &out->lost);
    };
    is_system() ? look_system(v, events) : look(v, events);
    if (copy_out(v.segments, &out->segments, &out->n_segments) && copy_out(v.blocks, &out->blocks, &out->n_blocks) &&
        (!with_events || out->events)) {
      return 1;
    }
  } catch (const std::bad_alloc&) {
  }
  gt_heap_view_free(out);
  return 0;
}

void gt_heap_view_free(gt_heap_view* v) {
  std::free(v->segments);
  std::free(v->blocks);
  std::free(v->events);
  *v = {};
}

}  // extern "C"
