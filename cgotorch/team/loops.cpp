//go:build linux

#include "loops.hpp"

#include "libgomp.hpp"
#include "region.hpp"
#include "settings.hpp"

#include <algorithm>

namespace gt::team {

// A loop that some threads of the region have not left. All threads reach the same loops
// in the same order, so a loop has a number. With nowait, the threads may be in different
// loops.
struct Loop {
  long number;
  LoopOf of;
  int left;  // number of threads that have not left the loop; guarded by the region's mutex
  Loop* next = nullptr;

  std::atomic<long> at;    // the first iteration that no thread has taken
  std::atomic<long> turn;  // the first iteration whose ordered part has not ended
  Word turns{0}, waiting{0};

  Loop(long number, const LoopOf& of, int n) : number(number), of(of), left(n), at(of.from), turn(of.from) {}
};

Region::~Region() {
  while (Loop* l = loops) {
    loops = l->next;
    delete l;
  }
}

void enter_loop(const LoopOf& of) {
  Region* r = self.region;
  const long number = ++self.loops;
  std::lock_guard<std::mutex> lock(r->mutex);
  Loop** l = &r->loops;
  while (*l && (*l)->number != number) l = &(*l)->next;
  if (!*l) *l = new Loop(number, of, r->n);
  self.loop = *l;
}

namespace {

void leave_loop() {
  Region* r = self.region;
  std::lock_guard<std::mutex> lock(r->mutex);
  Loop* left = self.loop;
  self.loop = nullptr;
  if (--left->left > 0) return;
  Loop** l = &r->loops;
  while (*l != left) l = &(*l)->next;
  *l = left->next;
  delete left;
}

// Takes the next iterations. Their number is a chunk or, with a guided schedule, a
// fraction of the remaining iterations if that is more.
bool deal(bool guided, long* begin, long* end) {
  Loop* l = self.loop;
  const auto [from, to, step, chunk] = l->of;
  long at = l->at.load();
  for (;;) {
    if (step > 0 ? at >= to : at <= to) return false;
    // unsigned long, because a loop may have more iterations than a long can represent.
    const unsigned long stride = step > 0 ? static_cast<unsigned long>(step) : -static_cast<unsigned long>(step);
    const unsigned long distance = step > 0 ? static_cast<unsigned long>(to) - static_cast<unsigned long>(at)
                                            : static_cast<unsigned long>(at) - static_cast<unsigned long>(to);
    const unsigned long rest = (distance - 1) / stride + 1, n = static_cast<unsigned long>(self.region->n);
    unsigned long count = std::max(static_cast<unsigned long>(chunk), 1ul);
    if (guided) count = std::max(count, (rest - 1) / n + 1);
    const long next = count < rest ? at + static_cast<long>(count) * step : to;
    if (!l->at.compare_exchange_weak(at, next)) continue;
    self.begin = *begin = at;
    self.end = *end = next;
    return true;
  }
}

bool start(bool guided, const LoopOf& of, long* begin, long* end) {
  enter_loop(of);
  return deal(guided, begin, end);
}

// Waits until the ordered parts of all iterations before the thread's current iterations
// have ended.
void await_turn() {
  Loop* l = self.loop;
  const auto mine = [l, begin = self.begin] { return l->turn.load() == begin; };
  if (wait_awake(settings().patience, mine)) return;
  l->waiting.fetch_add(1);
  for (;;) {
    const uint32_t turns = l->turns.load();
    if (mine()) break;
    sleep_while(l->turns, turns);
  }
  l->waiting.fetch_sub(1);
}

void pass_turn() {
  await_turn();
  Loop* l = self.loop;
  l->turn.store(self.end);
  l->turns.fetch_add(1);
  if (l->waiting.load()) wake(&l->turns);
}

}  // namespace

}  // namespace gt::team

using namespace gt::team;

extern "C" {

#define GT_LOOP(name, guided)                                                                          \
  bool GOMP_loop_##name##_start(long from, long to, long step, long chunk, long* begin, long* end) { \
    if (!self.region) return LIBGOMP(GOMP_loop_##name##_start)(from, to, step, chunk, begin, end);   \
    return start(guided, {from, to, step, chunk}, begin, end);                                       \
  }                                                                                                  \
  bool GOMP_loop_##name##_next(long* begin, long* end) {                                             \
    if (!self.region) return LIBGOMP(GOMP_loop_##name##_next)(begin, end);                           \
    return deal(guided, begin, end);                                                                 \
  }
GT_LOOP(dynamic, false)
GT_LOOP(nonmonotonic_dynamic, false)
GT_LOOP(guided, true)
GT_LOOP(nonmonotonic_guided, true)

bool GOMP_loop_ordered_dynamic_start(long from, long to, long step, long chunk, long* begin, long* end) {
  if (!self.region) return LIBGOMP(GOMP_loop_ordered_dynamic_start)(from, to, step, chunk, begin, end);
  return start(false, {from, to, step, chunk}, begin, end);
}

bool GOMP_loop_ordered_dynamic_next(long* begin, long* end) {
  if (!self.region) return LIBGOMP(GOMP_loop_ordered_dynamic_next)(begin, end);
  pass_turn();
  return deal(false, begin, end);
}

void GOMP_ordered_start(void) {
  if (!self.region) return LIBGOMP(GOMP_ordered_start)();
  await_turn();
}

// Does nothing in a region of the team. The next thread's turn comes when this thread's iterations end.
void GOMP_ordered_end(void) {
  if (!self.region) LIBGOMP(GOMP_ordered_end)();
}

void GOMP_loop_end_nowait(void) {
  if (!self.region) return LIBGOMP(GOMP_loop_end_nowait)();
  leave_loop();
}

void GOMP_loop_end(void) {
  if (!self.region) return LIBGOMP(GOMP_loop_end)();
  leave_loop();
  GOMP_barrier();
}

unsigned GOMP_sections_next(void) {
  if (!self.region) return LIBGOMP(GOMP_sections_next)();
  long section, end;
  return deal(false, &section, &end) ? static_cast<unsigned>(section) : 0;
}

unsigned GOMP_sections_start(unsigned n) {
  if (!self.region) return LIBGOMP(GOMP_sections_start)(n);
  enter_loop(sections_loop(n));
  return GOMP_sections_next();
}

void GOMP_sections_end_nowait(void) {
  if (!self.region) return LIBGOMP(GOMP_sections_end_nowait)();
  leave_loop();
}

void GOMP_sections_end(void) {
  if (!self.region) return LIBGOMP(GOMP_sections_end)();
  GOMP_loop_end();
}

}  // extern "C"
