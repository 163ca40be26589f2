//go:build linux

#include "workers.hpp"

#include "libgomp.hpp"
#include "region.hpp"
#include "settings.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>

namespace gt::team {

namespace {

// The number of sleeping workers to wake at once. Each worker that finds a share wakes
// two more. So a region with many shares soon gets its threads, and a small region wakes
// few threads.
constexpr int kWake = 2;

// How many nanoseconds a surplus worker stays idle before it ends. The next region with a
// barrier will probably need it.
constexpr int64_t kLinger = 100'000'000;

// The CPUs of the process when it started, for new workers. By default, a worker would
// get the CPUs of the thread that starts it, which the program may have bound to one CPU.
const cpu_set_t cpus_at_start = [] {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof cpus, &cpus);
  return cpus;
}();

Word calls{0};                  // incremented to call workers
std::atomic<int> sleepers{0};   // number of workers that sleep until calls changes
std::atomic<int> workers{0};    // all workers
std::atomic<int> idle{0};       // number of workers that run no share and will look for one

// While a share is unclaimed, an idle worker will look for it, or the keeper is armed. To
// ensure this, a region is opened before idle workers are checked, and the last idle
// worker stops being idle before it checks for unclaimed shares.
void no_longer_idle() {
  if (idle.fetch_sub(1) == 1 && any_unclaimed()) arm_keeper();
}

void wake_some(int n) {
  if (sleepers.load() > 0) wake(&calls, n);
}

void help(const Claim& c) {
  if (c.left > 0) wake_some(std::min(c.left, kWake));
  no_longer_idle();
  int share = c.share, done = 0;
  do {
    run_share(c.region, share);
    done++;
  } while ((share = claim(c.slot, c.turn)));
  end_shares(c.region, done);
  idle.fetch_add(1);
}

// Whether there are more workers than usually needed. If so, is_surplus also stops
// counting the caller as a worker.
bool are_too_many() { return workers.load() > settings().cores - 1; }
bool is_surplus() {
  int n = workers.load();
  while (n > settings().cores - 1)
    if (workers.compare_exchange_weak(n, n - 1)) return true;
  return false;
}

void* work(void*) {
  pthread_setname_np(pthread_self(), "team");
  if (CPU_COUNT(&cpus_at_start) > 0) sched_setaffinity(0, sizeof cpus_at_start, &cpus_at_start);
  LIBGOMP(omp_set_num_threads)(1);  // see run_region
  for (;;) {
    const uint32_t seen = calls.load();
    Claim c;
    if (claim_any(&c)) {
      help(c);
      continue;
    }
    const bool extra = are_too_many();
    if (!extra && wait_awake(settings().patience, [seen] { return calls.load(std::memory_order_relaxed) != seen; }))
      continue;
    sleepers.fetch_add(1);
    sleep_while(calls, seen, extra ? kLinger : 0);
    sleepers.fetch_sub(1);
    if (extra && calls.load() == seen && is_surplus()) {
      no_longer_idle();
      return nullptr;
    }
  }
}

// Starts workers until there are n.
bool have(int n) {
  int now = workers.load();
  while (now < n) {
    if (!workers.compare_exchange_weak(now, now + 1)) continue;
    idle.fetch_add(1);
    if (!start_thread(work)) {
      workers.fetch_sub(1);
      no_longer_idle();
      return false;
    }
    now = workers.load();
  }
  return true;
}

void call(int n) {
  calls.fetch_add(1);
  wake_some(n);
  if (idle.load() == 0) arm_keeper();
}

}  // namespace

bool start_thread(void* (*main)(void*)) {
  sigset_t blocked, before;
  sigfillset(&blocked);
  // These are not blocked: faults must reach the thread that caused them, and profilers
  // need SIGPROF.
  for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF}) sigdelset(&blocked, s);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, &detached, main, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&detached);
  return started;
}

void call_workers(int shares) {
  have(std::min(shares, settings().cores - 1));
  call(std::min(shares, kWake));
}

bool need_workers(int shares, int most) {
  const int missing = shares - idle.load();
  const bool room = missing <= 0 || have(std::min(workers.load() + missing, most));
  call(INT_MAX);
  return room || workers.load() >= shares;
}

void forget_workers() {
  sleepers.store(0);
  workers.store(0);
  idle.store(0);
}

}  // namespace gt::team
