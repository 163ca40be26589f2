// The functions for work, streams and events. If a stream takes
// part in a capture (capture.c), its work is recorded instead of
// queued, and a call that waits for the stream breaks the capture.
#include "sim.h"

static bool paged(const void* p) { return !sim_find(p); }

// The error of waiting for a stream: a stream in a capture must not be waited for.
static cudaError_t waitable(const sim_stream* s) {
  cudaError_t e = sim_ready(s);
  if (!e && s->capture) e = sim_capture_break(sim_capture_find(s->capture), cudaErrorStreamCaptureUnsupported);
  return e;
}

// The error of an access to this memory: reserved addresses need memory.
static cudaError_t reachable(const void* p, size_t n) {
  if (sim_mapped(p, n)) return cudaSuccess;
  sim_misuse("use of %p, which no memory is mapped to", p);
  return cudaErrorIllegalAddress;
}

static cudaError_t copy(void* d, const void* f, size_t n, cudaStream_t h, bool wait) {
  SIM_LOCK();
  sim_stream* s = sim_stream_of(h);
  cudaError_t e = sim_alive();
  if (!e && wait) e = sim_capture_forbids();
  if (!e) e = wait ? waitable(s) : sim_ready(s);
  if (!e) e = reachable(d, n);
  if (!e) e = reachable(f, n);
  if (e) SIM_RETURN(e);
  sim_push(s, (sim_work){.what = SIM_COPY, .dst = d, .src = f, .n = n});
  sim_used_by(s, f, n, false);
  sim_used_by(s, d, n, true);
  // Memory that is not page-locked may move, so these copies are done before the call returns.
  if (!s->capture && (wait || paged(d) || paged(f))) sim_join(s);
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
  sim_stream* s = sim_stream_of(h);
  cudaError_t e = sim_alive();
  if (!e) e = sim_ready(s);
  if (!e) e = reachable(d, n);
  if (e) SIM_RETURN(e);
  sim_push(s, (sim_work){.what = SIM_SET, .dst = d, .value = v, .n = n});
  sim_used_by(s, d, n, true);
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaMemset(void* d, int v, size_t n) {
  cudaError_t e = cudaMemsetAsync(d, v, n, NULL);
  return e ? e : cudaStreamSynchronize(NULL);
}

static cudaError_t launch(cudaStream_t h) {
  SIM_LOCK();
  sim_stream* s = sim_stream_of(h);
  cudaError_t e = sim_alive();
  if (!e) e = sim_ready(s);
  if (e) SIM_RETURN(e);
  sim_push(s, (sim_work){.what = SIM_KERNEL});
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
  sim_stream* s = sim_stream_new(sim_current, priority);
  *out = (cudaStream_t)s;
  SIM_RETURN(s ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
  return cudaStreamCreateWithPriority(out, flags, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t h) {
  SIM_LOCK();
  sim_stream* s = sim_stream_of(h);
  if (!s || s->id < SIM_DEVICES) SIM_RETURN(cudaErrorInvalidResourceHandle);
  const cudaError_t e = waitable(s);
  if (e) SIM_RETURN(e);
  sim_run(s);
  s->alive = false;
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaStreamGetPriority(cudaStream_t h, int* p) {
  SIM_LOCK();
  const sim_stream* s = sim_stream_of(h);
  *p = s ? s->priority : 0;
  SIM_RETURN(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaStreamQuery(cudaStream_t h) {
  SIM_LOCK();
  sim_stream* s = sim_stream_of(h);
  const cudaError_t e = waitable(s);
  if (e) SIM_RETURN(e);
  if (s->count) {
    sim_step(s);  // the device makes progress while the program asks
    SIM_RETURN(cudaErrorNotReady);
  }
  sim_learn(&sim_host, &s->clock);
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t h) {
  SIM_LOCK();
  sim_stream* s = sim_stream_of(h);
  cudaError_t e = sim_alive();
  if (!e) e = waitable(s);
  if (!e) sim_join(s);
  SIM_RETURN(e);
}
cudaError_t cudaDeviceSynchronize(void) {
  SIM_LOCK();
  cudaError_t e = sim_alive();
  for (int i = 0; !e && i < sim_stream_count(); i++) {
    sim_stream* s = sim_stream_at(i);
    if (!s || s->device != sim_current) continue;
    if (s->alive) e = waitable(s);
    if (!e) sim_join(s);
  }
  SIM_RETURN(e);
}

// --- events -----------------------------------------------------------------

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned flags) {
  // An event for other processes cannot have timing.
  if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)) return sim_fail(cudaErrorInvalidValue);
  sim_event* ev = calloc(1, sizeof(sim_event));
  *e = (cudaEvent_t)ev;
  if (!ev) return sim_fail(cudaErrorMemoryAllocation);
  ev->flags = flags;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* e) { return cudaEventCreateWithFlags(e, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t h) {
  SIM_LOCK();
  sim_event* e = (sim_event*)h;
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
  sim_event* e = (sim_event*)h;
  sim_stream* s = sim_stream_of(sh);
  cudaError_t err = sim_alive();
  if (!err) err = sim_ready(s);
  if (err) SIM_RETURN(err);
  e->capture = s->capture;
  if (s->capture) {
    e->inside = s->inside;
    SIM_RETURN(cudaSuccess);
  }
  if (e->on && e->on != s) sim_run_event(e, e->recorded);  // the event moves to another stream
  sim_push(s, (sim_work){.what = SIM_RECORD, .ev = e, .turn = ++e->recorded});
  e->on = s;
  e->clock = s->clock;
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { return cudaEventRecordWithFlags(e, s, 0); }

// Makes a stream wait for an event that was recorded in a
// capture. From here on, the stream takes part in that capture.
static cudaError_t join_capture(sim_stream* s, const sim_event* e) {
  sim_capture* c = sim_capture_find(e->capture);
  if (!c) return sim_capture_break(sim_capture_find(s->capture), cudaErrorCapturedEvent);
  if (s->capture && s->capture != c->id) {
    sim_capture_break(sim_capture_find(s->capture), cudaErrorStreamCaptureMerge);
    return sim_capture_break(c, cudaErrorStreamCaptureMerge);
  }
  if (!s->capture) {
    s->capture = c->id;
    memset(&s->inside, 0, sizeof s->inside);
  }
  sim_learn(&s->inside, &e->inside);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t sh, cudaEvent_t h, unsigned flags) {
  (void)flags;
  SIM_LOCK();
  sim_event* e = (sim_event*)h;
  sim_stream* s = sim_stream_of(sh);
  const cudaError_t err = sim_ready(s);
  if (err) SIM_RETURN(err);
  if (e->capture) SIM_RETURN(join_capture(s, e));
  if (!e->recorded) SIM_RETURN(cudaSuccess);  // the event was never recorded, so there is nothing to wait for
  if (s->capture) SIM_RETURN(sim_capture_break(sim_capture_find(s->capture), cudaErrorStreamCaptureIsolation));
  sim_push(s, (sim_work){.what = SIM_WAIT, .ev = e, .turn = e->recorded});
  sim_learn(&s->clock, &e->clock);
  SIM_RETURN(cudaSuccess);
}

// The error of a query for an event: an event in a capture cannot be queried.
static cudaError_t outside(const sim_event* e) {
  return e->capture ? sim_capture_break(sim_capture_find(e->capture), cudaErrorCapturedEvent) : cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t h) {
  SIM_LOCK();
  sim_event* e = (sim_event*)h;
  cudaError_t err = sim_capture_forbids();
  if (!err) err = outside(e);
  if (err) SIM_RETURN(err);
  if (e->done < e->recorded) {
    sim_step(e->on);
    SIM_RETURN(cudaErrorNotReady);
  }
  sim_learn(&sim_host, &e->clock);
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaEventSynchronize(cudaEvent_t h) {
  SIM_LOCK();
  sim_event* e = (sim_event*)h;
  cudaError_t err = sim_alive();
  if (!err) err = outside(e);
  if (!err) {
    sim_run_event(e, e->recorded);
    sim_learn(&sim_host, &e->clock);
  }
  SIM_RETURN(err);
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b) {
  SIM_LOCK();
  const sim_event *x = (sim_event*)a, *y = (sim_event*)b;
  if (!x->recorded || !y->recorded) SIM_RETURN(cudaErrorInvalidResourceHandle);
  if ((x->flags | y->flags) & cudaEventDisableTiming) SIM_RETURN(cudaErrorInvalidResourceHandle);
  if (x->capture || y->capture) SIM_RETURN(cudaErrorCapturedEvent);
  if (x->done < x->recorded || y->done < y->recorded) SIM_RETURN(cudaErrorNotReady);
  *ms = (float)(y->when.tv_sec - x->when.tv_sec) * 1e3f + (float)(y->when.tv_nsec - x->when.tv_nsec) / 1e6f;
  SIM_RETURN(cudaSuccess);
}
