#include "alloc_small.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace gt::alloc {

namespace {

// --- classes --------------------------------------------------------------------

constexpr size_t span_bytes(size_t slot) { return slot <= (8 << 10) ? 64 << 10 : 256 << 10; }

class SlotClass {
 public:
  // Writes up to n free slots to out and returns their number, or 0 if the heap is
  // exhausted.
  int take(int cls, Slot* out, int n) noexcept {
    std::lock_guard g(mu_);
    used_ = true;
    int got = 0;
    while (got < n) {
      Span* s = partial_;
      if (!s) {
        // At most one new span for each call: returning fewer slots is better than using more memory.
        if (got || !(s = new_span(cls))) break;
        list(s);
      }
      for (int w = 0; w < kMaxSlots / 64 && got < n && s->free_slots; w++) {
        while (s->free_bits[w] && got < n) {
          const int i = w * 64 + __builtin_ctzl(s->free_bits[w]);
          s->free_bits[w] &= s->free_bits[w] - 1;
          s->free_slots--;
          out[got++] = {s->base + size_t(i) * s->size, &s->requested[i]};
        }
      }
      if (s == empty_) empty_ = nullptr;
      if (!s->free_slots) unlist(s);
    }
    // A thread takes slots from the end of out, so reverse them. The thread then gets
    // them in address order.
    std::reverse(out, out + got);
    return got;
  }

  // Takes back n free slots. idle means that the thread has not used them for a while.
  void give(const Slot* slots, int n, bool idle) noexcept {
    std::lock_guard g(mu_);
    used_ = used_ || !idle;
    for (int k = 0; k < n; k++) {
      auto* s = reinterpret_cast<Span*>(heap().pages.get(slots[k].ptr) & ~kSpanBit);
      const uint32_t i = s->index(slots[k].ptr);
      s->free_bits[i / 64] |= uint64_t{1} << (i % 64);
      s->free_slots++;
      s->clean = false;
      if (!s->listed) list(s);
      if (s->free_slots == s->slots) {
        // Keep one empty span. Otherwise a loop that takes and frees the last slot of a
        // span would map and unmap a span in each iteration.
        if (empty_) {
          drop(s, idle ? last_used_ : Heap::now_ms());
        } else {
          empty_ = s;
        }
      }
    }
  }

  void lock() noexcept { mu_.lock(); }
  void unlock() noexcept { mu_.unlock(); }

  void purge(bool discard) noexcept {
    std::lock_guard g(mu_);
    purge_locked(discard, Heap::now_ms());
  }

  // Records whether slots were taken or given back since the last call.
  void look(int64_t now) noexcept {
    std::lock_guard g(mu_);
    if (used_) last_used_ = now;
    used_ = false;
  }
  // Returns free memory to the system if no slot has been used since the time `before`.
  void trim(int64_t before) noexcept {
    std::lock_guard g(mu_);
    if (!used_ && last_used_ <= before) purge_locked(true, last_used_);
  }

 private:
  void purge_locked(bool discard, int64_t since) noexcept {
    empty_ = nullptr;
    for (Span *s = partial_, *next; s; s = next) {
      next = s->next;
      if (s->free_slots == s->slots) {
        drop(s, since);
      } else if (discard && !s->clean) {
        discard_free(s);
      }
    }
  }

  Span* new_span(int cls) noexcept {
    const size_t size = class_size(cls), bytes = span_bytes(size);
    const int slots = int(bytes / size);
    auto* s = static_cast<Span*>(std::malloc(sizeof(Span) + size_t(slots) * sizeof(uint32_t)));
    if (!s) return nullptr;
    std::memset(static_cast<void*>(s), 0, sizeof(Span) + size_t(slots) * sizeof(uint32_t));
    s->block = heap().alloc_span(bytes, slots, size);
    if (!s->block) {
      std::free(s);
      return nullptr;
    }
    s->base = s->block->ptr;
    s->size = uint32_t(size);
    s->inverse = uint32_t(((uint64_t{1} << 32) + size - 1) / size);
    s->slots = s->free_slots = uint16_t(slots);
    s->cls = uint8_t(cls);
    for (int i = 0; i < slots; i++) s->free_bits[i / 64] |= uint64_t{1} << (i % 64);
    for (size_t o = 0; o < bytes; o += kPage) {
      heap().pages.set(s->base + o, reinterpret_cast<uintptr_t>(s) | kSpanBit);
    }
    return s;
  }

  // since is the last time when a slot of the span was in use.
  void drop(Span* s, int64_t since) noexcept {
    unlist(s);
    heap().free_span(s->block, s->slots, s->size, since);
    std::free(s);
  }

  // Discards the pages that contain only free slots.
  static void discard_free(Span* s) noexcept {
    s->clean = true;
    for (int i = 0; i < s->slots;) {
      int j = i;
      while (j < s->slots && s->free_bits[j / 64] >> (j % 64) & 1) j++;
      if (j > i) {
        const size_t from = size_t(i) * s->size;
        const size_t to = j == s->slots ? s->block->size : size_t(j) * s->size;
        discard(s->base + from, to - from);
      }
      i = j + 1;
    }
  }

  void list(Span* s) noexcept {
    s->listed = true;
    s->prev = nullptr;
    s->next = partial_;
    if (partial_) partial_->prev = s;
    partial_ = s;
  }
  void unlist(Span* s) noexcept {
    s->listed = false;
    if (s->prev) {
      s->prev->next = s->next;
    } else {
      partial_ = s->next;
    }
    if (s->next) s->next->prev = s->prev;
  }

  std::mutex mu_;
  Span* partial_ = nullptr;
  Span* empty_ = nullptr;
  // Whether slots were taken or given back since the last call of look, and when look
  // last found that slots were used.
  bool used_ = false;
  int64_t last_used_ = 0;
};

SlotClass* classes() noexcept {
  alignas(SlotClass) static char storage[sizeof(SlotClass) * kClasses];
  static SlotClass* c = new (storage) SlotClass[kClasses];
  return c;
}

// --- caches ---------------------------------------------------------------------

// Returns how many free slots of a class a thread keeps: at most 64 slots and at most 64 KiB, but
// at least 4 slots.
constexpr int capacity(int cls) {
  return int(std::clamp<size_t>((64 << 10) / class_size(cls), 4, 64));
}
struct Layout {
  uint16_t start[kClasses + 1];
};
constexpr Layout layout() {
  Layout l{};
  for (int c = 0; c < kClasses; c++) l.start[c + 1] = uint16_t(l.start[c] + capacity(c));
  return l;
}
constexpr Layout kLayout = layout();

// A counter that one thread writes and other threads read.
class Tally {
 public:
  void add(int64_t n) { v_.store(v_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  int64_t get() const { return v_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> v_{0};
};

struct alignas(64) ThreadCache {
  SpinLock lock;
  bool in_use = false;  // whether a thread owns this cache; guarded by the registry's lock
  ThreadCache* next = nullptr;
  Tally n, blk, req;  // sums over this cache's allocations; written under the lock of Stats
  bool used = false;      // since the last trim
  int64_t last_used = 0;  // when a trim last found that the cache was used
  uint16_t count[kClasses] = {};
  Slot slots[kLayout.start[kClasses]];

  // The caller of these functions must hold the cache's lock.
  void flush(int cls, int keep, bool idle) noexcept {
    // Give back the oldest slots, because the newest are in the processor's cache.
    Slot* base = slots + kLayout.start[cls];
    const int out = count[cls] - keep;
    if (out <= 0) return;
    classes()[cls].give(base, out, idle);
    std::memmove(base, base + out, size_t(keep) * sizeof(Slot));
    count[cls] = uint16_t(keep);
  }
  void flush_all(bool idle) noexcept {
    for (int c = 0; c < kClasses; c++) flush(c, 0, idle);
  }
};

// All caches ever created. They are never freed. A thread that ends empties its cache and
// leaves the cache, with its sums, to the next new thread.
struct Registry {
  std::mutex mu;
  std::atomic<ThreadCache*> first{nullptr};
};
Registry& registry() noexcept {
  alignas(Registry) static char storage[sizeof(Registry)];
  static Registry* r = new (storage) Registry;
  return *r;
}

ThreadCache* acquire() noexcept {
  Registry& r = registry();
  std::lock_guard g(r.mu);
  for (ThreadCache* c = r.first.load(); c; c = c->next) {
    if (!c->in_use) {
      c->in_use = true;
      return c;
    }
  }
  auto* c = new (std::nothrow) ThreadCache;
  if (!c) return nullptr;
  c->in_use = true;
  c->next = r.first.load();
  r.first.store(c, std::memory_order_release);
  return c;
}

// A thread may still free tensors after it has given up its cache, in the destructors of
// thread-local objects. All threads share one cache for these frees.
thread_local ThreadCache* tl_cache = nullptr;
thread_local bool tl_over = false;

struct Leaver {
  ~Leaver() {
    ThreadCache* c = tl_cache;
    tl_cache = nullptr;
    tl_over = true;
    if (!c) return;
    {
      std::lock_guard g(c->lock);
      c->flush_all(false);
    }
    std::lock_guard g(registry().mu);
    c->in_use = false;
  }
};

__attribute__((noinline, cold)) ThreadCache* cache_slow() noexcept {
  static ThreadCache* shared = acquire();
  if (tl_over) return shared;
  ThreadCache* c = acquire();
  if (!c) return shared;
  thread_local Leaver leaver;
  (void)&leaver;
  return tl_cache = c;
}

inline ThreadCache* cache() noexcept {
  ThreadCache* c = tl_cache;
  return GT_LIKELY(c != nullptr) ? c : cache_slow();
}

__attribute__((noinline, cold)) void bad_free(void* p) noexcept {
  std::fprintf(stderr, "gotorch: memory at %p freed twice, or its block was overwritten\n", p);
  std::abort();
}

}  // namespace

void* slot_alloc(size_t n) noexcept {
  const int cls = class_of(n);
  const auto size = int64_t(class_size(cls));
  ThreadCache* c = cache();
  if (GT_UNLIKELY(!c)) return nullptr;
  c->lock.lock();
  int have = c->count[cls];
  Slot* base = c->slots + kLayout.start[cls];
  if (GT_UNLIKELY(!have)) {
    have = classes()[cls].take(cls, base, (capacity(cls) + 1) / 2);
    if (!have) {
      c->lock.unlock();
      return nullptr;
    }
  }
  const Slot s = base[--have];
  c->count[cls] = uint16_t(have);
  c->used = true;
  std::atomic_ref(*s.requested).store(uint32_t(n), std::memory_order_relaxed);  // a snapshot may read it now
  c->lock.unlock();
  GT_UNPOISON(s.ptr, n);
  heap().stats.on_alloc(kSmall, size, int64_t(n), [&] {
    c->n.add(1);
    c->blk.add(size);
    c->req.add(int64_t(n));
  });
  return s.ptr;
}

size_t slot_requested(const Span* s, const void* p) noexcept { return s->requested[s->index(p)]; }

size_t slot_free(Span* s, void* p) noexcept {
  const uint32_t i = s->index(p);
  const uint32_t n = s->requested[i];
  if (GT_UNLIKELY(!n || s->base + size_t(i) * s->size != p)) bad_free(p);
  const int cls = s->cls;
  const int64_t size = s->size;
  ThreadCache* c = cache();
  if (GT_UNLIKELY(!c)) bad_free(p);
  GT_POISON(p, size_t(size));
  std::atomic_ref(s->requested[i]).store(0, std::memory_order_relaxed);
  heap().stats.on_free(kSmall, size, int64_t(n));
  c->lock.lock();
  if (GT_UNLIKELY(c->count[cls] == capacity(cls))) c->flush(cls, capacity(cls) / 2, false);
  c->used = true;
  c->slots[kLayout.start[cls] + c->count[cls]++] = {static_cast<char*>(p), &s->requested[i]};
  c->lock.unlock();
  return n;
}

Sums slot_sums() noexcept {
  Sums s;
  for (ThreadCache* c = registry().first.load(std::memory_order_acquire); c; c = c->next) {
    s.n += c->n.get();
    s.blk += c->blk.get();
    s.req += c->req.get();
  }
  return s;
}

void slot_purge(bool discard) noexcept {
  for (ThreadCache* c = registry().first.load(std::memory_order_acquire); c; c = c->next) {
    std::lock_guard g(c->lock);
    c->flush_all(false);
  }
  for (int i = 0; i < kClasses; i++) classes()[i].purge(discard);
}

void slot_trim(int64_t now, int64_t before) noexcept {
  for (int i = 0; i < kClasses; i++) classes()[i].look(now);
  for (ThreadCache* c = registry().first.load(std::memory_order_acquire); c; c = c->next) {
    std::lock_guard g(c->lock);
    if (c->used) c->last_used = now;
    c->used = false;
    if (c->last_used <= before) c->flush_all(true);
  }
  for (int i = 0; i < kClasses; i++) classes()[i].trim(before);
}

void slot_lock_all() noexcept {
  registry().mu.lock();  // prevents new caches
  for (ThreadCache* c = registry().first.load(); c; c = c->next) c->lock.lock();
  for (int i = 0; i < kClasses; i++) classes()[i].lock();
}

void slot_unlock_all() noexcept {
  for (int i = kClasses; i-- > 0;) classes()[i].unlock();
  for (ThreadCache* c = registry().first.load(); c; c = c->next) c->lock.unlock();
  registry().mu.unlock();
}

}  // namespace gt::alloc
