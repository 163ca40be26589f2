// The driver's functions for virtual memory, which expandable segments
// use. Addresses and memory are separate: a program reserves a range of
// addresses, creates pieces of device memory, and maps pieces into ranges.
#define _GNU_SOURCE
#include "sim.h"

#include <cuda.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRANULE = 2 << 20 };

typedef struct {
  int fd;  // a file that holds the memory
  size_t n;
  int device;
  int maps;
  bool held;  // not released yet
} piece;

typedef struct mapping {
  struct mapping* next;
  char* p;
  size_t n;
  piece* of;
  bool access;
} mapping;

static mapping* mappings;

static CUresult bad(const char* what) {
  sim_misuse("%s", what);
  return CUDA_ERROR_INVALID_VALUE;
}

static void drop(piece* m) {
  if (m->held || m->maps) return;
  sim_give(m->device, m->n);
  close(m->fd);
  free(m);
}

static CUresult reserve(CUdeviceptr* out, size_t n) {
  if (!n || n % GRANULE) return bad("cuMemAddressReserve of a size that is no multiple of the granularity");
  // Reserve more, so that the start can be moved to a multiple of the granularity.
  char* m = mmap(NULL, n + GRANULE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (m == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  char* p = (char*)(((uintptr_t)m + GRANULE - 1) / GRANULE * GRANULE);
  if (p > m) munmap(m, (size_t)(p - m));
  munmap(p + n, (size_t)(m + GRANULE - p));
  sim_add(p, n, SIM_RANGE, sim_current);
  *out = (CUdeviceptr)p;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* p, size_t n, size_t alignment, CUdeviceptr at, unsigned long long flags) {
  (void)alignment, (void)at, (void)flags;
  SIM_LOCK();
  SIM_DRIVER_RETURN(reserve(p, n));
}

static CUresult address_free(char* p, size_t n) {
  sim_block* range = sim_find(p);
  if (!range || range->kind != SIM_RANGE || range->p != p || range->n != n) {
    return bad("cuMemAddressFree of what cuMemAddressReserve did not return");
  }
  for (const mapping* m = mappings; m; m = m->next)
    if (m->p >= p && m->p < p + n) return bad("cuMemAddressFree of addresses with memory mapped to them");
  sim_forget(range);
  munmap(p, n);
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr p, size_t n) {
  SIM_LOCK();
  SIM_DRIVER_RETURN(address_free((char*)p, n));
}

static CUresult create(CUmemGenericAllocationHandle* out, size_t n, const CUmemAllocationProp* prop) {
  if (sim_alive()) return CUDA_ERROR_LAUNCH_FAILED;
  const int device = prop->location.id;
  if (!n || n % GRANULE) return bad("cuMemCreate of a size that is no multiple of the granularity");
  if (device < 0 || device >= sim_devices()) return CUDA_ERROR_INVALID_DEVICE;
  if (!sim_take(device, n)) return CUDA_ERROR_OUT_OF_MEMORY;
  piece* m = calloc(1, sizeof *m);
  *m = (piece){.fd = memfd_create("cudasim", MFD_CLOEXEC), .n = n, .device = device, .held = true};
  if (m->fd < 0 || ftruncate(m->fd, (off_t)n)) {
    m->held = false;
    drop(m);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = (CUmemGenericAllocationHandle)m;
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* m, size_t n, const CUmemAllocationProp* p,
                     unsigned long long flags) {
  (void)flags;
  SIM_LOCK();
  SIM_DRIVER_RETURN(create(m, n, p));
}

CUresult cuMemRelease(CUmemGenericAllocationHandle h) {
  SIM_LOCK();
  piece* m = (piece*)h;
  if (!m->held) SIM_DRIVER_RETURN(bad("cuMemRelease of memory that was released before"));
  m->held = false;
  drop(m);
  SIM_DRIVER_RETURN(CUDA_SUCCESS);
}

static CUresult map(char* p, size_t n, size_t offset, piece* of) {
  const sim_block* range = sim_find(p);
  if (!range || range->kind != SIM_RANGE || p + n > range->p + range->n) {
    return bad("cuMemMap to addresses that are not reserved");
  }
  if ((uintptr_t)p % GRANULE || offset || n != of->n) return bad("cuMemMap of a part of the memory");
  for (const mapping* m = mappings; m; m = m->next)
    if (m->p < p + n && p < m->p + m->n) return bad("cuMemMap to addresses that have memory");
  mapping* m = malloc(sizeof *m);
  *m = (mapping){.next = mappings, .p = p, .n = n, .of = of};
  mappings = m;
  of->maps++;
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr p, size_t n, size_t offset, CUmemGenericAllocationHandle h, unsigned long long flags) {
  (void)flags;
  SIM_LOCK();
  SIM_DRIVER_RETURN(map((char*)p, n, offset, (piece*)h));
}

// Makes mapped memory accessible.
static CUresult set_access(char* p, size_t n) {
  char* end = p + n;
  while (p < end) {
    mapping* m = mappings;
    while (m && m->p != p) m = m->next;
    if (!m || m->p + m->n > end) return bad("cuMemSetAccess of addresses without memory");
    if (!m->access && mmap(p, m->n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, m->of->fd, 0) == MAP_FAILED) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (!m->access) sim_open(m->p, m->p + m->n);
    m->access = true;
    p += m->n;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr p, size_t n, const CUmemAccessDesc* desc, size_t count) {
  (void)desc, (void)count;
  SIM_LOCK();
  SIM_DRIVER_RETURN(set_access((char*)p, n));
}

static CUresult unmap(char* p, size_t n) {
  if (!sim_idle(p, p + n)) sim_misuse("memory unmapped from %p while work on it was still to come", (void*)p);
  sim_unuse(p, p + n);
  for (char* end = p + n; p < end;) {
    mapping** at = &mappings;
    while (*at && (*at)->p != p) at = &(*at)->next;
    mapping* m = *at;
    if (!m || m->p + m->n > end) return bad("cuMemUnmap of addresses without memory");
    *at = m->next;
    sim_shut(m->p);
    mmap(p, m->n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    p += m->n;
    m->of->maps--;
    drop(m->of);
    free(m);
  }
  return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr p, size_t n) {
  SIM_LOCK();
  SIM_DRIVER_RETURN(unmap((char*)p, n));
}

CUresult cuMemGetAllocationGranularity(size_t* n, const CUmemAllocationProp* p, CUmemAllocationGranularity_flags f) {
  (void)p, (void)f;
  *n = GRANULE;
  return CUDA_SUCCESS;
}

// libtorch requires that all of these functions exist before it uses any of
// the others. They are for sharing memory between processes and for multicast.
#define NOT_SIMULATED(name, ...) \
  CUresult name(__VA_ARGS__) { return CUDA_ERROR_NOT_SUPPORTED; }
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOT_SIMULATED(cuMemExportToShareableHandle, void* h, CUmemGenericAllocationHandle m, CUmemAllocationHandleType t,
              unsigned long long f)
NOT_SIMULATED(cuMemImportFromShareableHandle, CUmemGenericAllocationHandle* m, void* h, CUmemAllocationHandleType t)
NOT_SIMULATED(cuMemRetainAllocationHandle, CUmemGenericAllocationHandle* m, void* p)
NOT_SIMULATED(cuMemGetAllocationPropertiesFromHandle, CUmemAllocationProp* p, CUmemGenericAllocationHandle m)
NOT_SIMULATED(cuMemsetD32Async, CUdeviceptr p, unsigned v, size_t n, CUstream s)
NOT_SIMULATED(cuStreamWriteValue32, CUstream s, CUdeviceptr p, cuuint32_t v, unsigned f)

// The runtime's access to the driver's functions. Looks them
// up in this library, and then in the driver's library.
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** f, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult* found) {
  (void)version, (void)flags;
  char second[128];
  snprintf(second, sizeof second, "%s_v2", name);
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY);
  void* const places[] = {RTLD_DEFAULT, driver};
  *f = NULL;
  for (int i = 0; i < 2 && !*f; i++) {
    if (!places[i] && i) break;
    *f = dlsym(places[i], second);
    if (!*f) *f = dlsym(places[i], name);
  }
  if (found) *found = *f ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
