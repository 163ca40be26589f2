// What the environment and the machine say, read once.
#pragma once

#include <atomic>
#include <cstdint>

namespace gt::team {

// How long a thread waits before it sleeps, in nanoseconds: first it spins, then it spins but
// leaves its core to whoever can use it.
struct Patience {
  int64_t spin, yield;
};

struct Settings {
  bool on;        // false: libgomp does everything
  int cores;      // how many threads can run at once
  int threads;    // what omp_get_max_threads says where nobody has set it
  int limit;      // OMP_THREAD_LIMIT
  Patience patience;
  int (*mkl_threads)(int);  // MKL's number of threads for the calling thread, or null; returns the one before
};

const Settings& read_settings();

inline std::atomic<const Settings*> current_settings{nullptr};

inline const Settings& settings() {
  const Settings* s = current_settings.load(std::memory_order_acquire);
  return s ? *s : read_settings();
}

// How many CPUs the control group of the process may use, rounded up, or 0 if as many as it
// likes. root is where /proc and /sys are: "" outside of tests.
int cgroup_cpus(const char* root);

}  // namespace gt::team
