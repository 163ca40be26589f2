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
  int threads;              // the result of omp_get_max_threads within
  const LoopOf* first_loop = nullptr;  // the loop that its shares begin with

  const Region* outer = nullptr;  // the caller's own region, or null

  Slot* slot = nullptr;
  uint32_t turn = 0;
  Word left;  // shares that have not ended, and whether the caller sleeps until all have

  Word arrived{0}, phase{0}, barred{0};  // the barrier: threads that have arrived, its number, threads that sleep

  std::atomic<long> singles{0};  // how many single constructs a thread has taken
  std::mutex mutex;              // guards loops
  Loop* loops = nullptr;         // loops that some thread has not left

  Region(gt_share* fn, void* data, int n, int threads) : fn(fn), data(data), n(n), threads(threads), left(n) {}
  ~Region();
};

// The state of the calling thread.
struct Self {
  Region* region = nullptr;  // the team's region whose share it runs; null in libgomp's regions
  int share = 0;
  int threads = 0;        // from omp_set_num_threads, 0 if that was not called
  bool parallel = false;  // in a share of a region with several, possibly an enclosing one
  long singles = 0;       // how many single constructs of the region it has met
  long loops = 0;         // how many loops
  Loop* loop = nullptr;   // the current loop
  long begin = 0, end = 0;  // its iterations of the loop
};
inline constinit thread_local Self self;

// While it lives, MKL uses one thread when called on this thread. A region with several shares has
// no threads for MKL, and MKL's kernels rely on getting as many as were set.
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
// Records that n shares have ended. The region may no longer exist afterwards.
void end_shares(Region* region, int n);

// Makes the team run a region. Its shares begin with the loop if there is one.
void run_region(gt_share* fn, void* data, unsigned n, const LoopOf* loop);
// Makes libgomp run a region: calls parallel with a number of threads.
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
