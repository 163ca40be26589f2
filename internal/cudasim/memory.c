// The entry points for device memory and page-locked host memory.
#include "sim.h"

cudaError_t cudaMalloc(void** p, size_t n) {
  SIM_LOCK();
  *p = NULL;
  cudaError_t e = sim_alive();
  if (!e) e = sim_capture_forbids();
  if (e) SIM_RETURN(e);
  if (!sim_take(sim_current, n)) SIM_RETURN(cudaErrorMemoryAllocation);
  char* m = aligned_alloc(2 << 20, (n + (2 << 20) - 1) / (2 << 20) * (2 << 20));
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
  sim_run_all();  // the driver waits for the device too
  sim_block* b = sim_find(p);
  if (!b || b->p != p || b->kind != SIM_DEVICE_MEMORY) {
    sim_misuse("cudaFree of what cudaMalloc did not return");
    SIM_RETURN(cudaErrorInvalidValue);
  }
  sim_give(b->device, b->n);
  sim_forget(b);
  free(p);
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
