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
  int threads;              // what omp_get_max_threads returns in the region
  const LoopOf* first_loop = nullptr;  // the loop that each share begins with, or null

  const Region* outer = nullptr;  // the region from which this one was opened, or null

  Slot* slot = nullptr;
  uint32_t turn = 0;
  Word left;  // number of shares that have not ended, and a bit if the caller sleeps until they have

  Word arrived{0}, phase{0}, barred{0};  // the barrier: threads that have reached it, its number, sleeping threads

  std::atomic<long> singles{0};  // how many single constructs were begun by a thread
  std::mutex mutex;              // guards loops
  Loop* loops = nullptr;         // list of the loops that not all threads have left

  Region(gt_share* fn, void* data, int n, int threads) : fn(fn), data(data), n(n), threads(threads), left(n) {}
  ~Region();
};

// The state of the calling thread.
struct Self {
  Region* region = nullptr;  // region of the team whose share the thread runs; null in libgomp's regions
  int share = 0;
  int threads = 0;        // number set by omp_set_num_threads, or 0
  bool parallel = false;  // whether this or an enclosing region has several shares
  long singles = 0;       // how many single constructs of the region the thread has reached
  long loops = 0;         // how many loops of the region the thread has reached
  Loop* loop = nullptr;   // the current loop
  long begin = 0, end = 0;  // the thread's current iterations of the loop
};
inline constinit thread_local Self self;

// While it exists, MKL uses one thread in calls on this thread. Inside a region with
// several shares there are no threads for MKL, and MKL's kernels rely on getting the
// number of threads that is set.
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
// Records that n shares of the region have ended. The region may no longer exist when this returns.
void end_shares(Region* region, int n);

// Opens a region that the team runs. If loop is not null, each share begins with that loop.
void run_region(gt_share* fn, void* data, unsigned n, const LoopOf* loop);
// Lets libgomp run a region: calls parallel with the number of threads.
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
