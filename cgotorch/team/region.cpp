//go:build linux

#include "region.hpp"

#include "libgomp.hpp"
#include "loops.hpp"
#include "objects.hpp"
#include "settings.hpp"
#include "workers.hpp"

#include <algorithm>

namespace gt::team {

namespace {

constexpr uint32_t kAsleep = 1u << 31;  // the bit of Region::left that says that the caller sleeps

void wait_for_others(Region* r) {
  if (wait_awake(settings().patience, [r] { return r->left.load(std::memory_order_acquire) == 0; })) return;
  uint32_t left = r->left.load(std::memory_order_acquire);
  while (left & ~kAsleep) {
    if (left & kAsleep || r->left.compare_exchange_weak(left, left | kAsleep)) sleep_while(r->left, left | kAsleep);
    left = r->left.load(std::memory_order_acquire);
  }
}

int width(unsigned n) {
  if (omp_in_parallel()) return 1;
  if (n == 0) n = static_cast<unsigned>(omp_get_max_threads());
  return static_cast<int>(std::min(n, static_cast<unsigned>(settings().limit)));
}

}  // namespace

void run_share(Region* region, int share) {
  const Self before = self;
  self = Self{region, share, region->threads, before.parallel || region->n > 1};
  if (region->first_loop) enter_loop(*region->first_loop);
  region->fn(region->data);
  self = before;
}

void end_shares(Region* region, int n) {
  if (region->left.fetch_sub(n) == (static_cast<uint32_t>(n) | kAsleep)) wake(&region->left, 1);
}

void run_region(gt_share* fn, void* data, unsigned want, const LoopOf* loop) {
  const int n = width(want);
  Region r(fn, data, n, omp_get_max_threads());
  r.first_loop = loop;
  r.outer = self.region;
  if (n == 1) {
    run_share(&r, 0);
    return;
  }
  // Set libgomp's number to one within a share, for libraries that ask libgomp, such as NVPL.
  const int outside = LIBGOMP(omp_get_max_threads)();
  LIBGOMP(omp_set_num_threads)(1);
  const OneThreadOfMKL one;
  open(&r);
  call_workers(n - 1);
  int share = 0, done = 0;
  do {
    run_share(&r, share);
    done++;
  } while ((share = claim(r.slot, r.turn)));
  close(r.slot);
  end_shares(&r, done);
  wait_for_others(&r);
  LIBGOMP(omp_set_num_threads)(outside);
}

}  // namespace gt::team

using namespace gt::team;

extern "C" {

void GOMP_parallel(gt_share* fn, void* data, unsigned n, unsigned flags) {
  if (is_ours(fn)) return run_region(fn, data, n, nullptr);
  run_elsewhere(n, [=](unsigned n) { LIBGOMP(GOMP_parallel)(fn, data, n, flags); });
}

void GOMP_parallel_loop_nonmonotonic_dynamic(gt_share* fn, void* data, unsigned n, long from, long to, long step,
                                             long chunk, unsigned flags) {
  const LoopOf loop{from, to, step, chunk};
  if (is_ours(fn)) return run_region(fn, data, n, &loop);
  run_elsewhere(n, [=](unsigned n) {
    LIBGOMP(GOMP_parallel_loop_nonmonotonic_dynamic)(fn, data, n, from, to, step, chunk, flags);
  });
}

void GOMP_parallel_loop_nonmonotonic_guided(gt_share* fn, void* data, unsigned n, long from, long to, long step,
                                            long chunk, unsigned flags) {
  const LoopOf loop{from, to, step, chunk};
  if (is_ours(fn)) return run_region(fn, data, n, &loop);
  run_elsewhere(n, [=](unsigned n) {
    LIBGOMP(GOMP_parallel_loop_nonmonotonic_guided)(fn, data, n, from, to, step, chunk, flags);
  });
}

void GOMP_parallel_sections(gt_share* fn, void* data, unsigned n, unsigned sections, unsigned flags) {
  const LoopOf loop = sections_loop(sections);
  if (is_ours(fn)) return run_region(fn, data, n, &loop);
  run_elsewhere(n, [=](unsigned n) { LIBGOMP(GOMP_parallel_sections)(fn, data, n, sections, flags); });
}

}  // extern "C"
