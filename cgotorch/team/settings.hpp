// Settings from environment variables and from the machine. They are read once.
#pragma once

#include <atomic>
#include <cstdint>

namespace gt::team {

// How long a thread stays awake before it sleeps, in nanoseconds: first it spins, and then it spins
// and yields its core.
struct Patience {
  int64_t spin, yield;
};

struct Settings {
  bool on;        // whether the team runs regions; if false, libgomp runs all
  int cores;      // number of threads that can run at the same time
  int threads;    // the default of omp_get_max_threads
  int limit;      // OMP_THREAD_LIMIT
  Patience patience;
  // Sets MKL's thread count for the calling thread, and returns the previous count. The
  // pointer is null if libtorch has no MKL.
  int (*mkl_threads)(int);
};

const Settings& read_settings();

inline std::atomic<const Settings*> current_settings{nullptr};

inline const Settings& settings() {
  const Settings* s = current_settings.load(std::memory_order_acquire);
  return s ? *s : read_settings();
}

// Returns how many CPUs the process's control group allows, rounded up, or 0 if it has no
// limit. root is the directory that contains /proc and /sys; it is "" except in tests.
int cgroup_cpus(const char* root);

}  // namespace gt::team
