// How many kernels oneDNN keeps for each thread.
#include <stdlib.h>

namespace {

// oneDNN's compiled kernels are in a cache of the process. libtorch has another in front of
// it for each thread, of 1,024 descriptions, which take some 20 KB each where the shapes of
// inputs vary. A goroutine leaves one on each OS thread that it has been on. What the smaller
// one does not have comes from the cache of the process, about as fast.
//
// libtorch reads the variable when a thread first calls oneDNN.
__attribute__((constructor)) void bound_caches_of_threads() {
  setenv("LRU_CACHE_CAPACITY", "64", 0);
}

}  // namespace
