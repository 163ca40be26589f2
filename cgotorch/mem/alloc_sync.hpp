// Locks of the CPU allocator and what the sanitizers have to be told.
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

// A lock for critical sections of a few nanoseconds; only a snapshot holds some of
// them longer. Taking it free costs one
// exchange and giving it back one plain store, half of what a mutex costs. A
// holder that is descheduled makes others yield their time slice rather than
// burn it.
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
        __asm__ volatile("isb");  // yield is no pause on most
#endif
      } else {
        sched_yield();
      }
    }
  }
  std::atomic<uint32_t> held_{0};
};

}  // namespace gt::alloc
