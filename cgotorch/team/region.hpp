// A parallel region, and the state of a thread that runs one of its shares.
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
  int n;                    // number of shares
  int threads;              // the result of omp_get_max_threads within
  const LoopOf* first_loop = nullptr;  // the loop that its shares begin with

  const Region* outer = nullptr;  // the region from which this one was opened, or null

  Slot* slot = nullptr;
  uint32_t turn = 0;
  Word left;  // number of shares that have not ended, and a bit if the caller sleeps until they have

  Word arrived{0}, phase{0}, barred{0};  // the barrier: threads that have reached it, its number, sleeping threads

  std::atomic<long> singles{0};  // the number of single constructs that a thread has taken
  std::mutex mutex;              // guards loops
  Loop* loops = nullptr;         // loops that some thread has not left

  Region(gt_share* fn, void* data, int n, int threads) : fn(fn), data(data), n(n), threads(threads), left(n) {}
  ~Region();
};

// The state of the calling thread.
struct Self {
  Region* region = nullptr;  // the team's region whose share the thread runs; null in libgomp's regions
  int share = 0;
  int threads = 0;        // set by omp_set_num_threads, 0 if that was not called
  bool parallel = false;  // in a share of a region with several shares, possibly an enclosing region
  long singles = 0;       // number of single constructs of the region that the thread has reached
  long loops = 0;         // number of loops that it has reached
  Loop* loop = nullptr;   // the current loop
  long begin = 0, end = 0;  // the thread's current iterations of the loop
};
inline constinit thread_local Self self;

// While it exists, calls of MKL on this thread use one thread. A region with several shares
// has no threads for MKL, and MKL's kernels rely on getting as many threads as were set.
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

// Makes the team run a region. If loop is not null, the shares begin with it.
void run_region(gt_share* fn, void* data, unsigned n, const LoopOf* loop);
// Makes libgomp run a region: calls parallel with the number of threads.
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
