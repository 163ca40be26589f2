// The functions for device memory and page-locked host memory.
#include "sim.h"

#include <sys/mman.h>

enum { GRANULE = 2 << 20, FRESH = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

// The addresses of device memory depend only on the calls: libtorch takes
// the lowest of equal blocks, and must take the same block in every process.
static char* map(size_t n) {
  static const size_t all = (size_t)1 << 38;
  static char* range;
  if (!range) {
    char* m = mmap(NULL, all, PROT_NONE, FRESH, -1, 0);
    if (m == MAP_FAILED) return NULL;
    range = m + (GRANULE - (uintptr_t)m % GRANULE) % GRANULE;
  }
  char* at = range;
  for (const sim_block* b; (b = sim_overlapping(at, n));) at = b->p + (b->n + GRANULE - 1) / GRANULE * GRANULE;
  if (at + n > range + all - GRANULE) return NULL;
  return mmap(at, n, PROT_READ | PROT_WRITE, FRESH | MAP_FIXED, -1, 0) == MAP_FAILED ? NULL : at;
}

static void unmap(char* p, size_t n) { mmap(p, n, PROT_NONE, FRESH | MAP_FIXED, -1, 0); }

cudaError_t cudaMalloc(void** p, size_t n) {
  SIM_LOCK();
  *p = NULL;
  cudaError_t e = sim_alive();
  if (!e) e = sim_capture_forbids();
  if (e) SIM_RETURN(e);
  if (!sim_take(sim_current, n)) SIM_RETURN(cudaErrorMemoryAllocation);
  char* m = map(n);
  if (!m) {
    sim_give(sim_current, n);
    SIM_RETURN(cudaErrorMemoryAllocation);
  }
  sim_add(m, n, SIM_DEVICE_MEMORY, sim_current);
  *p = m;
  SIM_RETURN(cudaSuccess);
}

cudaError_t cudaFree(void* p) {
  if (!p) return cudaSuccess;
  SIM_LOCK();
  const cudaError_t e = sim_capture_forbids();
  if (e) SIM_RETURN(e);
  sim_run_all();  // the driver also waits for the device
  sim_block* b = sim_find(p);
  if (!b || b->p != p || b->kind != SIM_DEVICE_MEMORY) {
    sim_misuse("cudaFree of what cudaMalloc did not return");
    SIM_RETURN(cudaErrorInvalidValue);
  }
  sim_give(b->device, b->n);
  unmap(b->p, b->n);
  sim_forget(b);
  SIM_RETURN(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t* f, size_t* t) {
  SIM_LOCK();
  *t = sim_bytes();
  *f = *t - sim_used(sim_current);
  SIM_RETURN(sim_alive());
}

cudaError_t cudaHostAlloc(void** p, size_t n, unsigned flags) {
  (void)flags;
  SIM_LOCK();
  *p = NULL;
  const cudaError_t e = sim_capture_forbids();
  if (e) SIM_RETURN(e);
  char* m = aligned_alloc(4096, (n + 4095) / 4096 * 4096);
  *p = m;
  if (!m) SIM_RETURN(cudaErrorMemoryAllocation);
  sim_add(m, n, SIM_PINNED, sim_current);
  SIM_RETURN(cudaSuccess);
}

static cudaError_t release_host(void* p, sim_kind kind, const char* what) {
  sim_block* b = sim_find(p);
  if (!b || b->p != p || b->kind != kind) {
    sim_misuse(what);
    return cudaErrorInvalidValue;
  }
  if (!sim_idle(b->p, b->p + b->n)) sim_misuse("page-locked memory freed while a copy was still to come");
  sim_run_all();
  sim_forget(b);
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* p) {
  if (!p) return cudaSuccess;
  SIM_LOCK();
  cudaError_t e = sim_capture_forbids();
  if (!e) e = release_host(p, SIM_PINNED, "cudaFreeHost of what cudaHostAlloc did not return");
  if (!e) free(p);
  SIM_RETURN(e);
}

cudaError_t cudaHostRegister(void* p, size_t n, unsigned flags) {
  (void)flags;
  SIM_LOCK();
  const cudaError_t e = sim_capture_forbids();
  if (e) SIM_RETURN(e);
  if (sim_find(p)) SIM_RETURN(cudaErrorHostMemoryAlreadyRegistered);
  sim_add(p, n, SIM_REGISTERED, sim_current);
  SIM_RETURN(cudaSuccess);
}

cudaError_t cudaHostUnregister(void* p) {
  SIM_LOCK();
  SIM_RETURN(release_host(p, SIM_REGISTERED, "cudaHostUnregister of memory that is not registered"));
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* a, const void* p) {
  SIM_LOCK();
  memset(a, 0, sizeof *a);
  a->type = cudaMemoryTypeUnregistered;
  a->device = -2;
  const sim_block* b = sim_find(p);
  if (b) {
    const bool host = b->kind == SIM_PINNED || b->kind == SIM_REGISTERED;
    a->type = host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    a->device = b->device;
    a->devicePointer = (void*)p;
    a->hostPointer = host ? (void*)p : NULL;
  }
  SIM_RETURN(cudaSuccess);
}
