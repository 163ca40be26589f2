// The CPU allocator's locks, and annotations for sanitizers.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define GT_POISON(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define GT_UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define GT_POISON(p, n) ((void)0)
#define GT_UNPOISON(p, n) ((void)0)
#endif

namespace gt::alloc {

#define GT_LIKELY(x) __builtin_expect(!!(x), 1)
#define GT_UNLIKELY(x) __builtin_expect(!!(x), 0)

// A lock for critical sections of a few nanoseconds. (Only a snapshot takes longer.)
// Without contention, locking is one exchange and unlocking is one plain store: half the
// cost of a mutex. If the holder is not running, waiting threads yield the processor
// instead of spinning.
class SpinLock {
 public:
  void lock() noexcept {
    if (GT_UNLIKELY(held_.exchange(1, std::memory_order_acquire))) wait();
  }
  void unlock() noexcept { held_.store(0, std::memory_order_release); }

 private:
  __attribute__((noinline, cold)) void wait() noexcept {
    for (int spins = 0;; spins++) {
      if (!held_.load(std::memory_order_relaxed) &&
          !held_.exchange(1, std::memory_order_acquire)) {
        return;
      }
      if (spins < 100) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("isb");  // instead of the instruction yield, which does not pause on most cores
#endif
      } else {
        sched_yield();
      }
    }
  }
  std::atomic<uint32_t> held_{0};
};

}  // namespace gt::alloc
