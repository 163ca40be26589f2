// Memory that is allocated and freed in stream order:
// cudaMallocAsync and its pools. Freed memory stays in
// the pool of its device until the pool is trimmed.
#include "sim.h"

typedef struct {
  uint64_t used, used_high, reserved, reserved_high;
  uint64_t release_threshold;
} pool;

static pool pools[SIM_DEVICES];

static void raise(uint64_t* high, uint64_t now) {
  if (now > *high) *high = now;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* out, int device) {
  if (device < 0 || device >= sim_devices()) return sim_fail(cudaErrorInvalidDevice);
  *out = (cudaMemPool_t)&pools[device];
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** p, size_t n, cudaStream_t stream) {
  SIM_LOCK();
  *p = NULL;
  cudaError_t e = sim_alive();
  const int device = e ? -1 : sim_device_of(stream);
  if (!e && device < 0) e = cudaErrorInvalidResourceHandle;
  if (e) SIM_RETURN(e);
  pool* from = &pools[device];
  const uint64_t cached = from->reserved - from->used;
  if (n > cached) {
    if (!sim_take(device, n - cached)) SIM_RETURN(cudaErrorMemoryAllocation);
    from->reserved += n - cached;
    raise(&from->reserved_high, from->reserved);
  }
  char* m = aligned_alloc(512, (n + 511) / 512 * 512);
  if (!m) SIM_RETURN(cudaErrorMemoryAllocation);
  from->used += n;
  raise(&from->used_high, from->used);
  sim_add(m, n, SIM_POOLED, device);
  *p = m;
  SIM_RETURN(cudaSuccess);
}

static void release(void* p) {
  sim_block* b = sim_find(p);
  pools[b->device].used -= b->n;
  sim_forget(b);
  free(p);
}

cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
  if (!p) return cudaSuccess;
  SIM_LOCK();
  const sim_block* b = sim_find(p);
  if (!b || b->p != p || b->kind != SIM_POOLED || b->freed) {
    sim_misuse("cudaFreeAsync of what cudaMallocAsync did not return");
    SIM_RETURN(cudaErrorInvalidValue);
  }
  SIM_RETURN(sim_push_free(p, stream, release));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t h, size_t keep) {
  SIM_LOCK();
  pool* from = (pool*)h;
  const uint64_t to = keep > from->used ? keep : from->used;
  if (to < from->reserved) {
    sim_give((int)(from - pools), from->reserved - to);
    from->reserved = to;
  }
  SIM_RETURN(cudaSuccess);
}

// The field of an attribute, or NULL for attributes that are switches.
static uint64_t* field(pool* of, enum cudaMemPoolAttr a) {
  switch (a) {
    case cudaMemPoolAttrReleaseThreshold: return &of->release_threshold;
    case cudaMemPoolAttrReservedMemCurrent: return &of->reserved;
    case cudaMemPoolAttrReservedMemHigh: return &of->reserved_high;
    case cudaMemPoolAttrUsedMemCurrent: return &of->used;
    case cudaMemPoolAttrUsedMemHigh: return &of->used_high;
    default: return NULL;
  }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t h, enum cudaMemPoolAttr a, void* out) {
  SIM_LOCK();
  const uint64_t* f = field((pool*)h, a);
  if (f) memcpy(out, f, sizeof *f);
  SIM_RETURN(f ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t h, enum cudaMemPoolAttr a, void* to) {
  SIM_LOCK();
  pool* of = (pool*)h;
  switch (a) {
    case cudaMemPoolAttrReleaseThreshold: memcpy(&of->release_threshold, to, sizeof of->release_threshold); break;
    // A high mark can only be set to zero, which resets it to the current value.
    case cudaMemPoolAttrReservedMemHigh: of->reserved_high = of->reserved; break;
    case cudaMemPoolAttrUsedMemHigh: of->used_high = of->used; break;
    default: break;  // the reuse policies have no effect
  }
  SIM_RETURN(cudaSuccess);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t h, const struct cudaMemAccessDesc* d, size_t n) {
  (void)h, (void)d, (void)n;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetGraphMemAttribute(int d, enum cudaGraphMemAttributeType a, void* out) {
  (void)d, (void)a;
  memset(out, 0, sizeof(uint64_t));
  return cudaSuccess;
}
cudaError_t cudaDeviceSetGraphMemAttribute(int d, enum cudaGraphMemAttributeType a, void* to) {
  (void)d, (void)a, (void)to;
  return cudaSuccess;
}
