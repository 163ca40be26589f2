//go:build linux

// The keeper is a thread that makes sure that every share of a region begins, even if all
// workers are busy. A kernel's shares may wait for each other in a way that the team
// cannot see. So if some shares of a region do not begin for a while, the region may be
// stuck, and the keeper starts threads for it. It does so for one region at a time: a
// region with long shares looks the same, and starting threads for all such regions would
// create too many.
#include "region.hpp"
#include "workers.hpp"

#include <algorithm>
#include <cstdio>

namespace gt::team {

namespace {

constexpr int64_t kLook = 5'000'000, kLongest = 1'000'000'000;  // nanoseconds

Word armed{0};  // whether there may be unclaimed shares and no idle worker
Word started{0};

void pause(int64_t time) {
  const timespec t{time / 1'000'000'000, time % 1'000'000'000};
  nanosleep(&t, nullptr);
}

// Returns a region whose shares have not advanced since the last call. It checks the
// regions in turn, beginning with the region after last.
Slot* look(const Slot* last) {
  Slot *first = nullptr, *next = nullptr;
  bool past = false;
  each_open([&](Slot* slot) {
    const uint64_t word = slot->word.load();
    if (unclaimed_in(word) > 0 && word == slot->seen) {
      if (!first) first = slot;
      if (past && !next) next = slot;
    }
    past = past || slot == last;
    slot->seen = word;
    return false;
  });
  return next ? next : first;
}

// Warns that threads could not be started. A region whose shares wait for each other will
// then never end, but other regions will. The keeper cannot tell the two kinds apart, so
// it does not end the process.
void warn() {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true))
    std::fprintf(
        stderr,
        "gotorch: the system has no room for the threads of a parallel region, which may wait for them for ever: "
        "raise its limit of processes (ulimit -u), or use fewer threads (OMP_NUM_THREADS)\n");
}

void* keep(void*) {
  const Slot* last = nullptr;
  for (int64_t time = kLook;;) {
    while (!armed.load()) sleep_while(armed, 0);
    pause(time);
    if (Slot* stuck = look(last)) {
      last = stuck;
      const int shares = unclaimed_in(stuck->word.load());
      urgent.store(stuck);
      if (!need_workers(shares, INT_MAX)) warn();
      time = std::min(2 * time, kLongest);
      continue;
    }
    time = kLook;
    if (any_unclaimed()) continue;
    armed.store(0);
    if (any_unclaimed()) armed.store(1);
  }
}

}  // namespace

void arm_keeper() {
  if (armed.load() || armed.exchange(1)) return;
  if (started.load() || started.exchange(1)) return wake(&armed, 1);
  if (!start_thread(keep)) {
    warn();
    started.store(0);
    armed.store(0);
  }
}

void forget_keeper() {
  armed.store(0);
  started.store(0);
}

}  // namespace gt::team
