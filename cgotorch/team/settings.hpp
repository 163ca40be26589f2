// Settings from the environment and the machine, read once.
#pragma once

#include <atomic>
#include <cstdint>

namespace gt::team {

// How long a thread waits before it sleeps, in nanoseconds: it first spins, then spins and yields
// its core to other threads.
struct Patience {
  int64_t spin, yield;
};

struct Settings {
  bool on;        // false: libgomp runs all regions
  int cores;      // the number of threads that can run at the same time
  int threads;    // the default of omp_get_max_threads
  int limit;      // OMP_THREAD_LIMIT
  Patience patience;
  // Sets MKL's number of threads for the calling thread and
  // returns the previous number; null if there is no MKL.
  int (*mkl_threads)(int);
};

const Settings& read_settings();

inline std::atomic<const Settings*> current_settings{nullptr};

inline const Settings& settings() {
  const Settings* s = current_settings.load(std::memory_order_acquire);
  return s ? *s : read_settings();
}

// Returns the number of CPUs that the process's control group allows, rounded up, or 0
// for no limit. root is the folder that contains /proc and /sys, "" except in tests.
int cgroup_cpus(const char* root);

}  // namespace gt::team
