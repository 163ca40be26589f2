// Devices, errors, kernels, and the injection of failures.
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
  // Not being ready is an answer, no error to remember.
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

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* p, int d) {
  if (d < 0 || d >= sim_devices()) return sim_fail(cudaErrorInvalidDevice);
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "Simulated CUDA device %d", d);
  p->totalGlobalMem = sim_bytes();
  p->major = 9;
  p->multiProcessorCount = 2;
  p->warpSize = 32;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsPerMultiProcessor = 2048;
  p->sharedMemPerBlock = 49152;
  p->regsPerMultiprocessor = 65536;
  p->unifiedAddressing = 1;
  p->textureAlignment = 512;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* v, enum cudaDeviceAttr a, int d) {
  (void)d;
  *v = a == cudaDevAttrComputeCapabilityMajor ? 9 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int a, int b) {
  (void)a, (void)b;
  *can = 0;
  return cudaSuccess;
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
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode* m) {
  (void)m;
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
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* n, const void* f, int b, size_t s, unsigned fl) {
  (void)f, (void)b, (void)s, (void)fl;
  *n = 4;
  return cudaSuccess;
}
