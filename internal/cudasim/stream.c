// Streams and events. A stream is a queue of work that is done when somebody
// waits for it, or piece by piece as somebody asks whether it is done. Beside
// the queue each stream has a clock that knows which work of which stream comes
// before its next piece; two uses of the same memory are ordered if the clock of
// the later one knows the earlier.
#include "sim.h"

#include <time.h>

typedef struct event event;
typedef struct {
  enum { COPY, SET, KERNEL, RECORD, WAIT, CALL } what;
  void* dst;
  const void* src;
  size_t n;
  int value;
  void (*call)(void*);  // with CALL, on dst
  event* ev;
  uint64_t turn;  // with RECORD and WAIT: which record of the event
} work;

typedef struct stream {
  int id;
  bool alive;
  int device, priority;
  work queue[SIM_QUEUE];
  unsigned head, count;
  sim_clock clock;
} stream;

struct event {
  uint64_t recorded, done;  // how often
  stream* on;
  sim_clock clock;
  struct timespec when;
  bool destroyed;  // kept while queues still name it
  int named;
};

static stream* streams[SIM_STREAMS];
static int stream_count = SIM_DEVICES;  // the first are the devices' default ones

static stream* make(int id, int device) {
  stream* s = calloc(1, sizeof *s);
  s->id = id;
  s->device = device;
  s->alive = true;
  return streams[id] = s;
}

static stream* of(cudaStream_t h) {
  // The handles 0, 1 and 2 are the default stream of the current device.
  if ((uintptr_t)h <= 2) return streams[sim_current] ? streams[sim_current] : make(sim_current, sim_current);
  stream* s = (stream*)h;
  for (int i = 0; i < stream_count; i++)
    if (streams[i] == s && s->alive) return s;
  sim_misuse("use of a stream that is not there");
  return NULL;
}

static void learn(sim_clock* c, const sim_clock* other) {
  for (int i = 0; i < SIM_STREAMS; i++)
    if (other->at[i] > c->at[i]) c->at[i] = other->at[i];
}

static void step(stream* s);

static void drop(event* e) {
  if (--e->named == 0 && e->destroyed) free(e);
}

static void run_event(event* e, uint64_t turn) {
  while (e->done < turn && e->on && e->on->count) step(e->on);
}

// Does the oldest piece of work.
static void step(stream* s) {
  work w = s->queue[s->head];
  if (w.what == WAIT) run_event(w.ev, w.turn);
  s->head = (s->head + 1) % SIM_QUEUE;
  s->count--;
  switch (w.what) {
    case COPY: memmove(w.dst, w.src, w.n); break;
    case SET: memset(w.dst, w.value, w.n); break;
    case RECORD:
      w.ev->done = w.turn;
      clock_gettime(CLOCK_MONOTONIC, &w.ev->when);
      drop(w.ev);
      break;
    case WAIT: drop(w.ev); break;
    case KERNEL: break;
    case CALL: w.call(w.dst); break;
  }
}

static void run(stream* s) {
  while (s->count) step(s);
}

void sim_run_all(void) {
  for (int i = 0; i < stream_count; i++)
    if (streams[i]) {
      run(streams[i]);
      learn(&sim_host, &streams[i]->clock);
    }
}

bool sim_idle(const void* lo, const void* hi) {
  for (int i = 0; i < stream_count; i++) {
    const stream* s = streams[i];
    for (unsigned k = 0; s && k < s->count; k++) {
      const work* w = &s->queue[(s->head + k) % SIM_QUEUE];
      if (w->what != COPY && w->what != SET) continue;
      const char *d = w->dst, *f = w->src;
      if ((d < (const char*)hi && d + w->n > (const char*)lo) ||
          (f && f < (const char*)hi && f + w->n > (const char*)lo))
        return false;
    }
  }
  return true;
}

static void push(stream* s, work w) {
  if (s->count == SIM_QUEUE) run(s);
  // It comes after all that the host has waited for, and after the stream's own.
  learn(&s->clock, &sim_host);
  s->clock.at[s->id]++;
  if (w.ev) w.ev->named++;
  s->queue[(s->head + s->count++) % SIM_QUEUE] = w;
}

// Waits for the stream: the host then knows all that it did.
static void join(stream* s) {
  run(s);
  learn(&sim_host, &s->clock);
}

int sim_device_of(cudaStream_t h) {
  const stream* s = of(h);
  return s ? s->device : -1;
}

cudaError_t sim_push_free(void* p, cudaStream_t h, void (*release)(void*)) {
  stream* s = of(h);
  cudaError_t e = sim_alive();
  if (!s) e = cudaErrorInvalidResourceHandle;
  if (e) return e;
  sim_block* b = sim_find(p);
  push(s, (work){.what = CALL, .dst = p, .call = release});
  sim_touch(p, b->n, s->id, &s->clock, true);
  b->freed = true;
  return cudaSuccess;
}

// --- work -------------------------------------------------------------------

static bool paged(const void* p) { return !sim_find(p); }

// Whether the device can get at this memory.
static cudaError_t reachable(const void* p, size_t n) {
  if (sim_mapped(p, n)) return cudaSuccess;
  sim_misuse("use of %p, which no memory is mapped to", p);
  return cudaErrorIllegalAddress;
}

static cudaError_t copy(void* d, const void* f, size_t n, cudaStream_t h, bool wait) {
  SIM_LOCK();
  stream* s = of(h);
  cudaError_t e = sim_alive();
  if (!s) e = cudaErrorInvalidResourceHandle;
  if (!e) e = reachable(d, n);
  if (!e) e = reachable(f, n);
  if (e) SIM_RETURN(e);
  push(s, (work){.what = COPY, .dst = d, .src = f, .n = n});
  sim_touch(f, n, s->id, &s->clock, false);
  sim_touch(d, n, s->id, &s->clock, true);
  // Memory that is not page-locked may move: such copies are done on return.
  if (wait || paged(d) || paged(f)) join(s);
  SIM_RETURN(cudaSuccess);
}

cudaError_t cudaMemcpy(void* d, const void* s, size_t n, enum cudaMemcpyKind k) {
  (void)k;
  return copy(d, s, n, NULL, true);
}
cudaError_t cudaMemcpyAsync(void* d, const void* s, size_t n, enum cudaMemcpyKind k, cudaStream_t h) {
  (void)k;
  return copy(d, s, n, h, false);
}
cudaError_t cudaMemcpyPeerAsync(void* d, int dd, const void* s, int sd, size_t n, cudaStream_t h) {
  (void)dd, (void)sd;
  return copy(d, s, n, h, false);
}

cudaError_t cudaMemsetAsync(void* d, int v, size_t n, cudaStream_t h) {
  SIM_LOCK();
  stream* s = of(h);
  cudaError_t e = sim_alive();
  if (!s) e = cudaErrorInvalidResourceHandle;
  if (!e) e = reachable(d, n);
  if (e) SIM_RETURN(e);
  push(s, (work){.what = SET, .dst = d, .value = v, .n = n});
  sim_touch(d, n, s->id, &s->clock, true);
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaMemset(void* d, int v, size_t n) {
  cudaError_t e = cudaMemsetAsync(d, v, n, NULL);
  return e ? e : cudaStreamSynchronize(NULL);
}

static cudaError_t launch(cudaStream_t h) {
  SIM_LOCK();
  stream* s = of(h);
  cudaError_t e = sim_alive();
  if (!s) e = cudaErrorInvalidResourceHandle;
  if (e) SIM_RETURN(e);
  push(s, (work){.what = KERNEL});
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaLaunchKernel(const void* f, dim3 g, dim3 b, void** a, size_t sh, cudaStream_t s) {
  (void)f, (void)g, (void)b, (void)a, (void)sh;
  return launch(s);
}
cudaError_t __cudaLaunchKernel(const void* f, dim3 g, dim3 b, void** a, size_t sh, cudaStream_t s) {
  return cudaLaunchKernel(f, g, b, a, sh, s);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* f, void** a) {
  (void)f, (void)a;
  return launch(c->stream);
}

// --- streams ----------------------------------------------------------------

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* out, unsigned flags, int priority) {
  (void)flags;
  SIM_LOCK();
  if (stream_count >= SIM_HOST) SIM_RETURN(cudaErrorMemoryAllocation);
  stream* s = make(stream_count++, sim_current);
  s->priority = priority;
  *out = (cudaStream_t)s;
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t h) {
  SIM_LOCK();
  stream* s = of(h);
  if (!s || s->id < SIM_DEVICES) SIM_RETURN(cudaErrorInvalidResourceHandle);
  run(s);
  s->alive = false;
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaStreamGetPriority(cudaStream_t h, int* p) {
  SIM_LOCK();
  const stream* s = of(h);
  *p = s ? s->priority : 0;
  SIM_RETURN(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamQuery(cudaStream_t h) {
  SIM_LOCK();
  stream* s = of(h);
  if (!s) SIM_RETURN(cudaErrorInvalidResourceHandle);
  if (s->count) {
    step(s);  // time passes while one asks
    SIM_RETURN(cudaErrorNotReady);
  }
  learn(&sim_host, &s->clock);
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t h) {
  SIM_LOCK();
  stream* s = of(h);
  cudaError_t e = sim_alive();
  if (!s) e = cudaErrorInvalidResourceHandle;
  if (!e) join(s);
  SIM_RETURN(e);
}
cudaError_t cudaDeviceSynchronize(void) {
  SIM_LOCK();
  const cudaError_t e = sim_alive();
  for (int i = 0; !e && i < stream_count; i++)
    if (streams[i] && streams[i]->device == sim_current) join(streams[i]);
  SIM_RETURN(e);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus* c) {
  (void)s;
  *c = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus* c, unsigned long long* id,
                                     cudaGraph_t* g, const cudaGraphNode_t** d, const cudaGraphEdgeData** ed,
                                     size_t* n) {
  (void)s, (void)id, (void)g, (void)d, (void)ed, (void)n;
  *c = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

// --- events -----------------------------------------------------------------

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned flags) {
  (void)flags;
  *e = calloc(1, sizeof(event));
  return *e ? cudaSuccess : sim_fail(cudaErrorMemoryAllocation);
}
cudaError_t cudaEventCreate(cudaEvent_t* e) { return cudaEventCreateWithFlags(e, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t h) {
  SIM_LOCK();
  event* e = (event*)h;
  if (e->destroyed) {
    sim_misuse("an event destroyed twice");
  } else if (e->named) {
    e->destroyed = true;
  } else {
    free(e);
  }
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t h, cudaStream_t sh, unsigned flags) {
  (void)flags;
  SIM_LOCK();
  event* e = (event*)h;
  stream* s = of(sh);
  cudaError_t err = sim_alive();
  if (!s) err = cudaErrorInvalidResourceHandle;
  if (err) SIM_RETURN(err);
  if (e->on && e->on != s) run_event(e, e->recorded);  // it moves to another stream
  push(s, (work){.what = RECORD, .ev = e, .turn = ++e->recorded});
  e->on = s;
  e->clock = s->clock;
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { return cudaEventRecordWithFlags(e, s, 0); }
cudaError_t cudaStreamWaitEvent(cudaStream_t sh, cudaEvent_t h, unsigned flags) {
  (void)flags;
  SIM_LOCK();
  event* e = (event*)h;
  stream* s = of(sh);
  if (!s) SIM_RETURN(cudaErrorInvalidResourceHandle);
  if (e->recorded) {  // an event that was never recorded holds nobody up
    push(s, (work){.what = WAIT, .ev = e, .turn = e->recorded});
    learn(&s->clock, &e->clock);
  }
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t h) {
  SIM_LOCK();
  event* e = (event*)h;
  if (e->done < e->recorded) {
    step(e->on);
    SIM_RETURN(cudaErrorNotReady);
  }
  learn(&sim_host, &e->clock);
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaEventSynchronize(cudaEvent_t h) {
  SIM_LOCK();
  event* e = (event*)h;
  const cudaError_t err = sim_alive();
  if (!err) {
    run_event(e, e->recorded);
    learn(&sim_host, &e->clock);
  }
  SIM_RETURN(err);
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b) {
  SIM_LOCK();
  const event *x = (event*)a, *y = (event*)b;
  if (!x->recorded || !y->recorded) SIM_RETURN(cudaErrorInvalidResourceHandle);
  if (x->done < x->recorded || y->done < y->recorded) SIM_RETURN(cudaErrorNotReady);
  *ms = (float)(y->when.tv_sec - x->when.tv_sec) * 1e3f + (float)(y->when.tv_nsec - x->when.tv_nsec) / 1e6f;
  SIM_RETURN(cudaSuccess);
}
