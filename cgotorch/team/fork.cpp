//go:build linux

// The child of a fork has one thread, which starts a team of its own when it needs one.
#include "region.hpp"
#include "workers.hpp"

#include <pthread.h>

namespace gt::team {

namespace {

void in_child() {
  forget_workers();
  forget_keeper();
  urgent.store(nullptr);
  // Regions of threads that are no more. The slots' turns go on.
  each_open([](Slot* slot) {
    if (self.region && slot == self.region->slot) return false;
    const uint64_t word = slot->word.load();
    slot->word.store((word & ~uint64_t{0xffff0000}) | (word & 0xffff) << 16);  // all begun
    close(slot);
    return false;
  });
}

const int registered = pthread_atfork(nullptr, nullptr, in_child);

}  // namespace

}  // namespace gt::team
