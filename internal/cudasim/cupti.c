// A CUPTI without a GPU, preloaded together with libcudasim.so. For each kernel
// launch and each copy it reports a made-up kernel or copy to libtorch's Kineto, on
// stream 7 of device 0, that begins when the call ends. So device profiles are tested
// with Kineto itself. It is a separate library and uses none of the other files.
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static CUpti_BuffersCallbackRequestFunc requested;
static CUpti_BuffersCallbackCompleteFunc completed;
static CUpti_TimestampCallbackFunc clock_of_client;
static bool enabled[CUPTI_ACTIVITY_KIND_COUNT];
static uint32_t correlation;
enum { TICKS = 10000 };  // duration of each kernel and copy on the client's clock, some microseconds

// A buffer provided by the client, and its records. Kineto only asks for the records
// of a buffer that was requested from Kineto, which happens at the first record.
typedef union {
  CUpti_Activity any;
  CUpti_ActivityAPI api;
  CUpti_ActivityKernel10 kernel;
  CUpti_ActivityMemcpy6 copy;
} record;
static record* buffer;
static size_t room, used;

static uint64_t now(void) {
  if (clock_of_client) return clock_of_client();
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static record* add(CUpti_ActivityKind kind) {
  if (!enabled[kind] || !requested) return NULL;
  if (!buffer) {
    size_t size = 0, most = 0;
    requested((uint8_t**)&buffer, &size, &most);
    room = size / sizeof(record);
    used = 0;
  }
  if (used == room) return NULL;
  record* r = &buffer[used++];
  memset(r, 0, sizeof *r);
  r->any.kind = kind;
  return r;
}

// Records a call of the runtime, and returns its correlation number.
static uint32_t called(CUpti_CallbackId what, uint64_t start, uint64_t end) {
  const uint32_t id = ++correlation;
  record* r = add(CUPTI_ACTIVITY_KIND_RUNTIME);
  if (!r) return id;
  r->api.cbid = what;
  r->api.start = start;
  r->api.end = end;
  r->api.threadId = (uint32_t)(uintptr_t)pthread_self();
  r->api.correlationId = id;
  return id;
}

cudaError_t cudaLaunchKernel(const void* f, dim3 grid, dim3 block, void** args, size_t shared, cudaStream_t s) {
  cudaError_t (*next)(const void*, dim3, dim3, void**, size_t, cudaStream_t) = dlsym(RTLD_NEXT, "cudaLaunchKernel");
  const uint64_t start = now();
  const cudaError_t e = next(f, grid, block, args, shared, s);
  pthread_mutex_lock(&mu);
  const uint64_t end = now();
  const uint32_t id = called(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, start, end);
  record* r = add(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (r) {
    r->kernel.start = end;
    r->kernel.end = end + TICKS;
    r->kernel.streamId = 7;
    r->kernel.correlationId = id;
    r->kernel.contextId = 1;
    r->kernel.gridX = (int32_t)grid.x, r->kernel.gridY = (int32_t)grid.y, r->kernel.gridZ = (int32_t)grid.z;
    r->kernel.blockX = (int32_t)block.x, r->kernel.blockY = (int32_t)block.y, r->kernel.blockZ = (int32_t)block.z;
    r->kernel.name = "simulated_kernel";
  }
  pthread_mutex_unlock(&mu);
  return e;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s) {
  cudaError_t (*next)(void*, const void*, size_t, enum cudaMemcpyKind, cudaStream_t) =
      dlsym(RTLD_NEXT, "cudaMemcpyAsync");
  const uint64_t start = now();
  const cudaError_t e = next(to, from, n, kind, s);
  pthread_mutex_lock(&mu);
  const uint64_t end = now();
  const uint32_t id = called(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, start, end);
  record* r = add(CUPTI_ACTIVITY_KIND_MEMCPY);
  if (r) {
    r->copy.copyKind =
        kind == cudaMemcpyHostToDevice ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD : CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
    r->copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    r->copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
    r->copy.bytes = n;
    r->copy.start = end;
    r->copy.end = end + TICKS;
    r->copy.streamId = 7;
    r->copy.correlationId = id;
    r->copy.contextId = 1;
  }
  pthread_mutex_unlock(&mu);
  return e;
}

cudaError_t cudaDeviceSynchronize(void) {
  cudaError_t (*next)(void) = dlsym(RTLD_NEXT, "cudaDeviceSynchronize");
  const uint64_t start = now();
  const cudaError_t e = next();
  pthread_mutex_lock(&mu);
  called(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020, start, now());
  pthread_mutex_unlock(&mu);
  return e;
}

// --- functions that Kineto calls -----------------------------------------------

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* s, CUpti_CallbackFunc f, void* data) {
  static bool taken;
  (void)f, (void)data;
  *s = (CUpti_SubscriberHandle)&taken;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle s) {
  (void)s;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult r, const char** text) {
  *text = r ? "CUPTI_ERROR_SIMULATED" : "CUPTI_SUCCESS";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetVersion(uint32_t* v) {
  *v = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t on, CUpti_SubscriberHandle s, CUpti_CallbackDomain d, CUpti_CallbackId id) {
  (void)on, (void)s, (void)d, (void)id;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableDomain(uint32_t on, CUpti_SubscriberHandle s, CUpti_CallbackDomain d) {
  (void)on, (void)s, (void)d;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiFinalize(void) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc r, CUpti_BuffersCallbackCompleteFunc c) {
  requested = r, completed = c;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc f) {
  clock_of_client = f;
  return CUPTI_SUCCESS;
}
static CUptiResult enable(CUpti_ActivityKind kind, bool on) {
  pthread_mutex_lock(&mu);
  if (kind >= 0 && kind < CUPTI_ACTIVITY_KIND_COUNT) enabled[kind] = on;
  pthread_mutex_unlock(&mu);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) { return enable(kind, true); }
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) { return enable(kind, false); }
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, uint8_t on) {
  (void)id;
  return on ? enable(CUPTI_ACTIVITY_KIND_RUNTIME, true) : CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId id, uint8_t on) {
  (void)id, (void)on;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute a, size_t* n, void* v) {
  (void)a, (void)n, (void)v;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t on) {
  (void)on;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext c, uint32_t stream, size_t* n) {
  (void)c, (void)stream;
  *n = 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind k, uint64_t id) {
  (void)k, (void)id;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind k, uint64_t* id) {
  (void)k;
  if (id) *id = 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  (void)flag;
  pthread_mutex_lock(&mu);
  record* full = buffer;
  buffer = NULL;
  if (full) completed(NULL, 0, (uint8_t*)full, room * sizeof(record), used * sizeof(record));
  pthread_mutex_unlock(&mu);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t* from, size_t valid, CUpti_Activity** r) {
  uint8_t* next = *r ? (uint8_t*)*r + sizeof(record) : from;
  if (next + sizeof(record) > from + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *r = (CUpti_Activity*)next;
  return CUPTI_SUCCESS;
}
