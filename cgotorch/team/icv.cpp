//go:build linux

// Implements the OpenMP functions that read and set the thread count and other limits.
#include "libgomp.hpp"
#include "region.hpp"
#include "settings.hpp"

#include <algorithm>

using namespace gt::team;

extern "C" {

int omp_get_max_threads(void) {
  if (!settings().on) return LIBGOMP(omp_get_max_threads)();
  return self.threads ? self.threads : settings().threads;
}

// Also sets libgomp's thread count, for regions that libgomp runs. Inside a share of a
// region, the number applies only to that share.
void omp_set_num_threads(int n) {
  self.threads = std::max(n, 1);
  if (!self.parallel) LIBGOMP(omp_set_num_threads)(n);
}

int omp_get_num_procs(void) {
  const int n = LIBGOMP(omp_get_num_procs)();
  return settings().on ? std::min(n, settings().cores) : n;
}

int omp_get_num_threads(void) { return self.region ? self.region->n : LIBGOMP(omp_get_num_threads)(); }

int omp_get_thread_num(void) { return self.region ? self.share : LIBGOMP(omp_get_thread_num)(); }

int omp_in_parallel(void) { return self.parallel || LIBGOMP(omp_in_parallel)(); }

}  // extern "C"
