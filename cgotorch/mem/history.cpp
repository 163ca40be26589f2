// Events are in a ring buffer, and live blocks in a table. Both are separate from the allocator's
// data, so that recording does not change what the allocator does.
#include "history.hpp"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace gt::history {

namespace {

using gt::alloc::SpinLock;
using Guard = std::lock_guard<SpinLock>;

std::atomic<int> context{GT_CONTEXT_NONE};

int64_t now_us() noexcept {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1000;
}

uint32_t thread_number() noexcept {
  static std::atomic<uint32_t> next{0};
  thread_local uint32_t number = 0;
  if (GT_UNLIKELY(!number)) number = ++next;
  return number;
}

// The newest events, up to a limit. The memory grows in chunks, so that no event waits for a large
// copy.
class Ring {
 public:
  void push(const gt_event& e) noexcept {
    Guard g(lock_);
    size_t at = n_;
    if (GT_UNLIKELY(n_ >= max_)) {
      at = next_;
      next_ = next_ + 1 == max_ ? 0 : next_ + 1;
      lost_++;
    } else if (at / kChunk == chunks_.size() && !grow()) {
      lost_++;
      return;
    } else {
      n_++;
    }
    chunks_[at / kChunk][at % kChunk] = e;
  }

  void bound(int64_t max, bool forget) noexcept {
    const size_t want = max > 0 ? size_t(max) : SIZE_MAX;
    Guard g(lock_);
    // Clear the ring buffer if the new limit drops events, or if it has wrapped around. Moving the
    // events that remain is not worth the effort.
    if (forget || (want != max_ && (n_ > want || next_))) clear();
    max_ = want;
  }

  int64_t size(int64_t* bytes) noexcept {
    Guard g(lock_);
    *bytes = int64_t(chunks_.size() * kChunk * sizeof(gt_event));
    return int64_t(n_);
  }

  // Returns a copy of the events in chronological order, without retracted events, or
  // null if out of memory.
  gt_event* copy(int64_t* n, int64_t* lost) noexcept {
    Guard g(lock_);
    *n = 0;
    *lost = lost_;
    auto* out = static_cast<gt_event*>(std::malloc(std::max<size_t>(n_, 1) * sizeof(gt_event)));
    for (size_t i = 0; out && i < n_; i++) {
      const gt_event& e = nth(i);
      if (e.action != kRetracted) out[(*n)++] = e;
    }
    return out;
  }

  // Removes a recent out-of-memory event, which its size and time identify.
  void retract(int64_t size, int64_t time_us) noexcept {
    Guard g(lock_);
    for (size_t i = n_; i-- > 0;) {
      gt_event& e = nth(i);
      if (e.action != GT_EVENT_OOM || e.size != size || e.time_us != time_us) continue;
      e.action = kRetracted;
      return;
    }
  }

 private:
  static constexpr size_t kChunk = 1 << 14;
  static constexpr uint32_t kRetracted = ~uint32_t{0};  // stored as the action of a retracted event

  gt_event& nth(size_t i) noexcept {
    const size_t at = next_ + i < n_ ? next_ + i : next_ + i - n_;
    return chunks_[at / kChunk][at % kChunk];
  }

  bool grow() noexcept {
    auto* c = static_cast<gt_event*>(std::malloc(kChunk * sizeof(gt_event)));
    if (!c) return false;
    try {
      chunks_.push_back(c);
      return true;
    } catch (...) {
      std::free(c);
      return false;
    }
  }
  void clear() noexcept {
    for (gt_event* c : chunks_) std::free(c);
    chunks_.clear();
    n_ = next_ = 0;
    lost_ = 0;
  }

  SpinLock lock_;
  std::vector<gt_event*> chunks_;
  size_t max_ = SIZE_MAX, n_ = 0, next_ = 0;
  int64_t lost_ = 0;
};

// Live blocks by address, in shards. Each shard is a hash table with linear probing and a lock.
class Table {
 public:
  void insert(const Live& b) noexcept {
    Shard& s = shard(b.addr);
    Guard g(s.lock);
    if ((s.n + 1) * 4 > s.cap * 3 && !s.grow()) return;
    if (s.put(b)) s.n++;
  }

  bool erase(uint64_t addr, Live* out) noexcept {
    Shard& s = shard(addr);
    Guard g(s.lock);
    const size_t at = s.find(addr);
    if (at == kNone) return false;
    *out = s.slots[at];
    s.remove(at);
    return true;
  }

  bool find(uint64_t addr, Live* out) noexcept {
    Shard& s = shard(addr);
    Guard g(s.lock);
    const size_t at = s.find(addr);
    if (at == kNone) return false;
    *out = s.slots[at];
    return true;
  }

  template <class F>
  void each(F&& f) {
    for (Shard& s : shards_) {
      Guard g(s.lock);
      for (size_t i = 0; i < s.cap; i++) {
        if (s.slots[i].addr) f(s.slots[i]);
      }
    }
  }

  void clear() noexcept {
    for (Shard& s : shards_) {
      Guard g(s.lock);
      std::free(s.slots);
      s.slots = nullptr;
      s.cap = s.n = 0;
    }
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  static constexpr int kShards = 32;

  static size_t hash(uint64_t addr) { return size_t((addr >> 6) * 0x9e3779b97f4a7c15u) >> 16; }

  struct alignas(64) Shard {
    SpinLock lock;
    Live* slots = nullptr;
    size_t cap = 0, n = 0;

    size_t find(uint64_t addr) const noexcept {
      if (!cap) return kNone;
      for (size_t i = hash(addr) & (cap - 1);; i = (i + 1) & (cap - 1)) {
        if (slots[i].addr == addr) return i;
        if (!slots[i].addr) return kNone;
      }
    }
    // Stores b. Returns whether its address is new to the table.
    bool put(const Live& b) noexcept {
      size_t i = hash(b.addr) & (cap - 1);
      while (slots[i].addr && slots[i].addr != b.addr) i = (i + 1) & (cap - 1);
      const bool fresh = !slots[i].addr;
      slots[i] = b;
      return fresh;
    }
    // Moves later entries into the gap, if the gap is on their probe sequence.
    void remove(size_t gap) noexcept {
      const size_t mask = cap - 1;
      for (size_t i = (gap + 1) & mask; slots[i].addr; i = (i + 1) & mask) {
        const size_t home = hash(slots[i].addr) & mask;
        if (((i - home) & mask) >= ((i - gap) & mask)) {
          slots[gap] = slots[i];
          gap = i;
        }
      }
      slots[gap].addr = 0;
      n--;
    }
    bool grow() noexcept {
      const size_t bigger = cap ? cap * 2 : 256;
      auto* fresh = static_cast<Live*>(std::calloc(bigger, sizeof(Live)));
      if (!fresh) return false;
      Live* old = slots;
      const size_t had = cap;
      slots = fresh;
      cap = bigger;
      for (size_t i = 0; i < had; i++) {
        if (old[i].addr) put(old[i]);
      }
      std::free(old);
      return true;
    }
  };

  Shard& shard(uint64_t addr) noexcept { return shards_[(hash(addr) >> 32) % kShards]; }
  Shard shards_[kShards];
};

// Never destroyed, because tensors may outlive main.
Ring& ring() noexcept {
  alignas(Ring) static char storage[sizeof(Ring)];
  static Ring* r = new (storage) Ring;
  return *r;
}
Table& table() noexcept {
  alignas(Table) static char storage[sizeof(Table)];
  static Table* t = new (storage) Table;
  return *t;
}

bool events() noexcept { return mode() == GT_HISTORY_ALL; }

std::atomic<gt_mem_watcher> watcher{nullptr};

// Calls the watcher, if there is one. Returns whether the history must record the block.
bool tell(const void* p, int64_t change) noexcept {
  const int m = hooks.load(std::memory_order_relaxed);
  if (m & kWatched) {
    if (auto* fn = watcher.load(std::memory_order_acquire)) fn(reinterpret_cast<uintptr_t>(p), change, -1);
  }
  return m & ~kWatched;
}

Place where(int wanted) noexcept {
  return context.load(std::memory_order_relaxed) >= wanted ? place() : Place{};
}

}  // namespace

void allocated(const void* p, size_t n) noexcept {
  if (!tell(p, int64_t(n))) return;
  const auto addr = reinterpret_cast<uint64_t>(p);
  const Place at = where(GT_CONTEXT_STATE);
  const int64_t now = now_us();
  table().insert({addr, int64_t(n), now, at.stack, at.forward});
  if (!events()) return;
  const bool named = context.load(std::memory_order_relaxed) >= GT_CONTEXT_ALLOC;
  ring().push({addr, int64_t(n), now, named ? at.stack : 0, named ? at.forward : 0, thread_number(), GT_EVENT_ALLOC});
}

void freed(const void* p, size_t n) noexcept {
  if (!tell(p, -int64_t(n))) return;
  const auto addr = reinterpret_cast<uint64_t>(p);
  Live was;
  table().erase(addr, &was);
  if (!events()) return;
  // Outside an operator, the stack in the thread's gt_ctx may be outdated.
  Place at = where(GT_CONTEXT_ALL);
  if (!at.in_operator) at = {};
  ring().push({addr, int64_t(n), now_us(), at.stack, at.forward, thread_number(), GT_EVENT_FREE});
}

int64_t out_of_memory(size_t n, int64_t left) noexcept {
  if (!events()) return 0;
  const Place at = where(GT_CONTEXT_ALLOC);
  const int64_t now = now_us();
  ring().push({uint64_t(left), int64_t(n), now, at.stack, at.forward, thread_number(), GT_EVENT_OOM});
  return now;
}

void retract(size_t n, int64_t time_us) noexcept {
  if (time_us) ring().retract(int64_t(n), time_us);
}

void segment(int action, const void* p, size_t n) noexcept {
  if (!events()) return;
  Place at = where(GT_CONTEXT_ALL);
  if (!at.in_operator) at = {};
  ring().push({reinterpret_cast<uint64_t>(p), int64_t(n), now_us(), at.stack, at.forward, thread_number(),
               uint32_t(action)});
}

bool find(uint64_t addr, Live* out) noexcept { return table().find(addr, out); }

void each(void (*fn)(const Live&, void*), void* arg) {
  table().each([&](const Live& b) { fn(b, arg); });
}

gt_event* copy_events(int64_t* n, int64_t* lost) noexcept {
  if (events()) ring().push({0, 0, now_us(), 0, 0, thread_number(), GT_EVENT_SNAPSHOT});
  return ring().copy(n, lost);
}

}  // namespace gt::history

using namespace gt::history;

namespace {

// Turns watching operators on or off, as needed by the history of the CPU (own) and the
// histories of other devices (others). A null pointer leaves a setting unchanged.
void follow(const int* own, const int* others) {
  static std::mutex mu;
  static bool wanted[2];
  std::lock_guard g(mu);
  if (own) wanted[0] = *own;
  if (others) wanted[1] = *others;
  watch_operators(wanted[0] || wanted[1]);
}

void set_mode(int m) {
  int was = hooks.load();
  while (!hooks.compare_exchange_weak(was, (was & kWatched) | m)) {
  }
}

}  // namespace

extern "C" {

void gt_history_follow(int on) { follow(nullptr, &on); }

void gt_history_start(int m, int c, int64_t max_entries, int clear) {
  // A thread may have added a block after recording was stopped.
  if (mode() == GT_HISTORY_OFF) table().clear();
  ring().bound(max_entries, clear != 0);
  context = c;
  const int stacks = c != GT_CONTEXT_NONE;
  follow(&stacks, nullptr);
  set_mode(m);
}

void gt_history_stop(void) {
  set_mode(GT_HISTORY_OFF);
  const int stacks = 0;
  follow(&stacks, nullptr);
  ring().bound(0, true);
  table().clear();
}

int gt_history_mode(void) { return mode(); }
int64_t gt_history_events(int64_t* bytes) { return ring().size(bytes); }

void gt_mem_watched(uintptr_t addr, int64_t change, int device) {
  if (!(hooks.load(std::memory_order_relaxed) & kWatched)) return;
  if (auto* fn = watcher.load(std::memory_order_acquire)) fn(addr, change, device);
}

void gt_mem_watch(gt_mem_watcher fn) {
  if (fn) watcher.store(fn, std::memory_order_release);
  if (fn) {
    hooks |= kWatched;
  } else {
    hooks &= ~kWatched;
  }
}

int64_t gt_history_sites(gt_site* out, int64_t cap) {
  std::unordered_map<uint64_t, gt_site> sums;
  try {
    table().each([&](const Live& b) {
      gt_site& s = sums[uint64_t{b.stack} << 32 | b.forward];
      s.stack = b.stack;
      s.forward = b.forward;
      s.bytes += b.size;
      s.count++;
    });
    std::vector<gt_site> list;
    for (const auto& kv : sums) list.push_back(kv.second);
    std::sort(list.begin(), list.end(), [](const gt_site& a, const gt_site& b) { return a.bytes > b.bytes; });
    const auto n = std::min<int64_t>(cap, int64_t(list.size()));
    if (n > 0) std::memcpy(out, list.data(), size_t(n) * sizeof(gt_site));
    return int64_t(list.size());
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

}  // extern "C"
