#include "cheap.h"

#include <dlfcn.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

template <typename F>
F* find(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

// MKL keeps about 10 MB of buffers per thread until the process ends, for the largest
// number of threads that were ever inside MKL at once. libtorch contains MKL, and exports
// its functions mkl_free_buffers and mkl_mem_stat under internal names. They are looked
// up at run time, because libtorch may be built without MKL. Both may be called while
// other threads are inside MKL.
struct Mkl {
  void (*free_buffers)() = find<void()>("mkl_serv_free_buffers");
  int64_t (*mem_stat)(int* buffers) = find<int64_t(int*)>("mkl_serv_mem_stat");
};

const Mkl& mkl() {
  static const Mkl m;
  return m;
}

}  // namespace

void gt_mem_cheap_read(gt_mem_cheap* out) {
  *out = {};
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 m = mallinfo2();
  out->in_use = int64_t(m.uordblks + m.hblkhd);
  out->free = int64_t(m.fordblks);
#else  // only mallinfo, whose fields are ints: even as unsigned numbers, they overflow at 4 GiB
  const struct mallinfo m = mallinfo();
  out->in_use = int64_t(unsigned(m.uordblks)) + unsigned(m.hblkhd);
  out->free = unsigned(m.fordblks);
#endif
#endif
  int buffers = 0;
  if (mkl().mem_stat) out->scratch = mkl().mem_stat(&buffers);
}

void gt_mem_cheap_trim(void) {
  if (mkl().free_buffers) mkl().free_buffers();
  gt_mem_malloc_trim();
}

void gt_mem_malloc_trim(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
