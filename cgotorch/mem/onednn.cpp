// Limits how many kernels oneDNN caches for each thread.
#include <stdlib.h>

namespace {

// oneDNN caches compiled kernels for the process. libtorch adds a cache of 1,024 entries
// for each thread, about 20 KB per entry if input shapes vary. Goroutines move between
// threads, so a program has many such caches. A miss in a smaller cache is served by the
// process's cache and costs about the same.
//
// libtorch reads the environment variable when a thread first calls oneDNN.
__attribute__((constructor)) void bound_caches_of_threads() {
  setenv("LRU_CACHE_CAPACITY", "64", 0);
}

}  // namespace
