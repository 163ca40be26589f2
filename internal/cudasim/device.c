// Devices, errors, kernels, and simulated failures.
#define _GNU_SOURCE
#include "sim.h"

#include <stdarg.h>

pthread_mutex_t sim_mu = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
__thread int sim_current;
static __thread cudaError_t last_error;

static long setting(const char* name, long otherwise) {
  const char* s = getenv(name);
  return s && *s ? strtoll(s, NULL, 10) : otherwise;
}

int sim_devices(void) {
  long n = setting("CUDASIM_DEVICES", 1);
  return n < 0 ? 0 : n > SIM_DEVICES ? SIM_DEVICES : (int)n;
}

size_t sim_bytes(void) { return (size_t)setting("CUDASIM_BYTES", 1L << 30); }

cudaError_t sim_fail(cudaError_t e) {
  // cudaErrorNotReady is an answer and not an error to remember.
  if (e != cudaSuccess && e != cudaErrorNotReady) last_error = e;
  return e;
}

cudaError_t sim_alive(void) {
  static long calls;
  const long limit = setting("CUDASIM_LOST_AT", 0);
  if (limit > 0 && ++calls >= limit) return cudaErrorLaunchFailure;
  return cudaSuccess;
}

void sim_misuse(const char* format, ...) {
  const char* path = getenv("CUDASIM_REPORT");
  FILE* files[] = {stderr, path && *path ? fopen(path, "a") : NULL};
  for (int i = 0; i < 2; i++) {
    if (!files[i]) continue;
    va_list args;
    va_start(args, format);
    fputs("cudasim: ", files[i]);
    vfprintf(files[i], format, args);
    fputc('\n', files[i]);
    va_end(args);
  }
  if (files[1]) fclose(files[1]);
}

cudaError_t cudaGetDeviceCount(int* n) {
  *n = sim_devices();
  return *n ? cudaSuccess : sim_fail(cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int* d) {
  *d = sim_current;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int d) {
  if (d < 0 || d >= sim_devices()) return sim_fail(cudaErrorInvalidDevice);
  sim_current = d;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* v) {
  *v = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* v) {
  *v = 13000;
  return cudaSuccess;
}
cudaError_t cudaGetLastError(void) {
  cudaError_t e = last_error;
  last_error = cudaSuccess;
  return e;
}
cudaError_t cudaPeekAtLastError(void) { return last_error; }

// The attributes of a device, by the runtime's numbers; 0 for all others.
static int attribute(enum cudaDeviceAttr a, int d) {
  switch (a) {
    case cudaDevAttrComputeCapabilityMajor: return 9;
    case cudaDevAttrMultiProcessorCount: return 2;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY: return 1024;
    case cudaDevAttrMaxBlockDimZ: return 64;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrMaxSharedMemoryPerBlock: return 49152;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return 232448;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return 233472;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor: return 65536;
    case cudaDevAttrL2CacheSize: return 50 << 20;
    case cudaDevAttrGlobalMemoryBusWidth: return 5120;
    case cudaDevAttrClockRate: return 1980000;
    case cudaDevAttrMemoryClockRate: return 2619000;
    case cudaDevAttrUnifiedAddressing: return 1;
    case cudaDevAttrTextureAlignment: return 512;
    case cudaDevAttrMaxGridDimX: return 2147483647;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: return 65535;
    case cudaDevAttrPciBusId: return d + 1;
    default: return 0;
  }
}

cudaError_t cudaDeviceGetAttribute(int* v, enum cudaDeviceAttr a, int d) {
  if (d < 0 || d >= sim_devices()) return sim_fail(cudaErrorInvalidDevice);
  *v = attribute(a, d);
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* p, int d) {
  if (d < 0 || d >= sim_devices()) return sim_fail(cudaErrorInvalidDevice);
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "Simulated CUDA device %d", d);
  memset(p->uuid.bytes, 0x10 + d, sizeof p->uuid.bytes);
  p->totalGlobalMem = sim_bytes();
  p->major = attribute(cudaDevAttrComputeCapabilityMajor, d);
  p->multiProcessorCount = attribute(cudaDevAttrMultiProcessorCount, d);
  p->warpSize = attribute(cudaDevAttrWarpSize, d);
  p->maxThreadsPerBlock = attribute(cudaDevAttrMaxThreadsPerBlock, d);
  p->maxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, d);
  p->sharedMemPerBlock = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlock, d);
  p->sharedMemPerBlockOptin = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, d);
  p->sharedMemPerMultiprocessor = (size_t)attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, d);
  p->regsPerBlock = attribute(cudaDevAttrMaxRegistersPerBlock, d);
  p->regsPerMultiprocessor = attribute(cudaDevAttrMaxRegistersPerMultiprocessor, d);
  p->l2CacheSize = attribute(cudaDevAttrL2CacheSize, d);
  p->memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth, d);
  p->unifiedAddressing = attribute(cudaDevAttrUnifiedAddressing, d);
  p->textureAlignment = (size_t)attribute(cudaDevAttrTextureAlignment, d);
  p->maxThreadsDim[0] = attribute(cudaDevAttrMaxBlockDimX, d);
  p->maxThreadsDim[1] = attribute(cudaDevAttrMaxBlockDimY, d);
  p->maxThreadsDim[2] = attribute(cudaDevAttrMaxBlockDimZ, d);
  p->maxGridSize[0] = attribute(cudaDevAttrMaxGridDimX, d);
  p->maxGridSize[1] = p->maxGridSize[2] = attribute(cudaDevAttrMaxGridDimY, d);
  p->pciBusID = attribute(cudaDevAttrPciBusId, d);
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int a, int b) {
  *can = a != b && setting("CUDASIM_PEERS", 0);
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  (void)peer, (void)flags;
  return setting("CUDASIM_PEERS", 0) ? cudaSuccess : sim_fail(cudaErrorPeerAccessUnsupported);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* p, int n, int d) {
  snprintf(p, (size_t)n, "0000:%02x:00.0", d);
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* k, const void* f) {
  *k = (cudaKernel_t)f;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* a, const void* f) {
  (void)f;
  memset(a, 0, sizeof *a);
  a->maxThreadsPerBlock = 1024;
  a->numRegs = 32;
  a->binaryVersion = a->ptxVersion = 90;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* f, enum cudaFuncAttribute a, int v) {
  (void)f, (void)a, (void)v;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, const void* f, int b, size_t s,
                                                                   unsigned fl) {
  (void)f, (void)b, (void)s, (void)fl;
  *n = 4;
  return cudaSuccess;
}
