//go:build linux

// After a fork, the child process has one thread. It starts a new team when it opens a
// region.
#include "objects.hpp"
#include "region.hpp"
#include "workers.hpp"

#include <pthread.h>

namespace gt::team {

namespace {

// Whether this thread runs a share of the slot's region, or of a region opened from it.
bool is_mine(const Slot* slot) {
  for (const Region* r = self.region; r; r = r->outer)
    if (r->slot == slot) return true;
  return false;
}

void in_child() {
  after_fork();
  forget_workers();
  forget_keeper();
  urgent.store(nullptr);
  // Close the regions of threads that the child does not have. Slots keep their turn numbers.
  each_open([](Slot* slot) {
    if (is_mine(slot)) return false;
    const uint64_t word = slot->word.load();
    slot->word.store((word & ~uint64_t{0xffff0000}) | (word & 0xffff) << 16);  // all have begun
    close(slot);
    return false;
  });
}

const int registered = pthread_atfork(before_fork, after_fork, in_child);

}  // namespace

}  // namespace gt::team
