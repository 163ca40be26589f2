//go:build linux

#include "libgomp.hpp"
#include "region.hpp"
#include "settings.hpp"
#include "workers.hpp"

#include <cstdio>
#include <cstdlib>

namespace gt::team {

namespace {

// Makes sure that threads begin all shares, because no thread passes a barrier before that.
void enlist(Region* r) {
  const int shares = unclaimed(r->slot, r->turn);
  if (shares == 0) return;
  urgent.store(r->slot);
  if (need_workers(shares, settings().cores - 1 + r->n - 1)) return;
  std::fprintf(stderr, "gotorch: the system has no room for the threads of a parallel region\n");
  std::exit(EXIT_FAILURE);  // like libgomp
}

void barrier(Region* r) {
  const uint32_t phase = r->phase.load();
  if (r->arrived.fetch_add(1) + 1 == static_cast<uint32_t>(r->n)) {
    r->arrived.store(0);
    r->phase.fetch_add(1);
    if (r->barred.load()) wake(&r->phase);
    return;
  }
  enlist(r);
  if (wait_awake(settings().patience, [=] { return r->phase.load() != phase; })) return;
  r->barred.fetch_add(1);
  while (r->phase.load() == phase) sleep_while(r->phase, phase);
  r->barred.fetch_sub(1);
}

}  // namespace

}  // namespace gt::team

using namespace gt::team;

extern "C" {

void GOMP_barrier(void) {
  if (!self.region) return LIBGOMP(GOMP_barrier)();
  if (self.region->n > 1) barrier(self.region);
}

bool GOMP_single_start(void) {
  Region* r = self.region;
  if (!r) return LIBGOMP(GOMP_single_start)();
  // All threads reach the same single constructs in the same order. The first to reach one runs it.
  long mine = self.singles++;
  return r->singles.compare_exchange_strong(mine, mine + 1);
}

}  // extern "C"
