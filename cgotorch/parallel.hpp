// Divides loops among the threads that libtorch's own kernels use.
//
// at::parallel_for is a template of libtorch's headers, and runs its loop on one thread
// where the headers are compiled without OpenMP, as they are here: linking a second OpenMP
// library would bring a second team of threads. parallel_for calls libtorch's library.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <exception>

// The entry points of OpenMP. They are missing on systems where libtorch uses another
// library; loops then run on one thread.
extern "C" {
__attribute__((weak)) void GOMP_parallel(void (*)(void*), void*, unsigned, unsigned);
__attribute__((weak)) int omp_get_thread_num(void);
__attribute__((weak)) int omp_get_num_threads(void);
}

namespace gt {

// Calls f(from, to) with parts of [begin, end), of at least grain elements each, on several
// threads if there is more than one part. Rethrows one of the exceptions of f.
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const F& f) {
  if (begin >= end) return;
  const int64_t n = end - begin, parts = (n + std::max<int64_t>(1, grain) - 1) / std::max<int64_t>(1, grain);
  const int64_t threads = std::min<int64_t>(at::get_num_threads(), parts);
  if (threads < 2 || !GOMP_parallel || !omp_get_thread_num || !omp_get_num_threads || at::in_parallel_region()) {
    f(begin, end);
    return;
  }
  struct Region {
    const F* f;
    int64_t begin, n;
    std::atomic_flag failed = ATOMIC_FLAG_INIT;
    std::exception_ptr error;
  } region{&f, begin, n};
  GOMP_parallel(
      [](void* p) {
        auto& r = *static_cast<Region*>(p);
        const int64_t me = omp_get_thread_num(), all = omp_get_num_threads();
        const int64_t from = r.n * me / all, to = r.n * (me + 1) / all;
        if (from >= to) return;
        try {
          (*r.f)(r.begin + from, r.begin + to);
        } catch (...) {
          if (!r.failed.test_and_set()) r.error = std::current_exception();
        }
      },
      &region, static_cast<unsigned>(threads), 0);
  if (region.error) std::rethrow_exception(region.error);
}

}  // namespace gt
