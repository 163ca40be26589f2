// A parallel region, and the thread that runs one of its shares.
#pragma once

#include "openmp.h"
#include "settings.hpp"
#include "slots.hpp"
#include "wait.hpp"

#include <mutex>

namespace gt::team {

struct Loop;
struct LoopOf;

struct Region {
  gt_share* fn;
  void* data;
  int n;                    // shares
  int threads;              // what omp_get_max_threads says within
  const LoopOf* first_loop = nullptr;  // the loop that its shares begin in

  const Region* outer = nullptr;  // the one that the caller was in

  Slot* slot = nullptr;
  uint32_t turn = 0;
  Word left;  // shares that have not ended, and whether the caller sleeps until none is left

  Word arrived{0}, phase{0}, barred{0};  // the barrier: who is there, which one, who sleeps

  std::atomic<long> singles{0};  // how many single constructs somebody has taken
  std::mutex mutex;              // of loops
  Loop* loops = nullptr;         // those that not all threads have left

  Region(gt_share* fn, void* data, int n, int threads) : fn(fn), data(data), n(n), threads(threads), left(n) {}
  ~Region();
};

// What the calling thread is doing.
struct Self {
  Region* region = nullptr;  // the team's region that it runs a share of; null in one of libgomp's
  int share = 0;
  int threads = 0;        // omp_set_num_threads, 0 if it was not called
  bool parallel = false;  // in a share of a region with several, maybe of an outer one
  long singles = 0;       // how many single constructs it has met in the region
  long loops = 0;         // and loops
  Loop* loop = nullptr;   // the one that it is in
  long begin = 0, end = 0;  // its iterations of that
};
inline constinit thread_local Self self;

// While it lives, MKL uses one thread on the calling one. In a region with several shares there
// are no more, and MKL's kernels count on as many as were set for the thread.
struct OneThreadOfMKL {
  int before = 0;
  OneThreadOfMKL() {
    if (settings().mkl_threads) before = settings().mkl_threads(1);
  }
  ~OneThreadOfMKL() {
    if (settings().mkl_threads) settings().mkl_threads(before);
  }
  OneThreadOfMKL(const OneThreadOfMKL&) = delete;
};

// Runs one share of the region on the calling thread.
void run_share(Region* region, int share);
// Says that the caller of it has ended n shares. The region may be gone afterwards.
void end_shares(Region* region, int n);

// Runs a region by the team; its shares begin in the loop if there is one.
void run_region(gt_share* fn, void* data, unsigned n, const LoopOf* loop);
// Runs one by libgomp: parallel calls it with a number of threads.
template <class Parallel>
void run_elsewhere(unsigned n, Parallel parallel) {
  const Self before = self;
  self.region = nullptr;
  if (self.parallel) n = 1;
  const OneThreadOfMKL one;
  parallel(n);
  self = before;
}

}  // namespace gt::team
