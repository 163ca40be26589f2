// How threads of the team wait: they stay awake for a while, and then sleep in the kernel.
#pragma once

#include "settings.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace gt::team {

// A word in memory on which threads can sleep until it changes.
using Word = std::atomic<uint32_t>;

// Sleeps while word has this value. Sleeps at most `most` nanoseconds, unless most is 0.
inline void sleep_while(Word& word, uint32_t value, int64_t most = 0) {
  const timespec t{most / 1'000'000'000, most % 1'000'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, most ? &t : nullptr, nullptr, 0);
}

// Wakes up to n threads that sleep on word. word may already be freed, because only its address is used.
inline void wake(Word* word, int n = INT_MAX) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, nullptr, nullptr, 0);
}

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // not the instruction yield, which does nothing on most cores
#endif
}

inline int64_t nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * int64_t{1000000000} + t.tv_nsec;
}

// Waits until done() returns true or the time has run out. Returns the last result of
// done().
template <class Done>
bool wait_awake(const Patience& patience, Done done) {
  if (patience.spin == 0) return done();
  const int64_t start = nanoseconds(), yield = start + patience.spin, end = yield + patience.yield;
  for (int64_t now = start; now < end; now = nanoseconds()) {
    if (now >= yield) sched_yield();
    for (int i = 0; i < 16; i++) {
      if (done()) return true;
      relax();
    }
  }
  return done();
}

}  // namespace gt::team
