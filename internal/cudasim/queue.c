// Streams as queues of work. The work is done when the host waits for it, or piece by
// piece when the host asks whether it is done. Each stream also has a clock, which
// knows the work of all streams that comes before the stream's next work. Two uses of
// the same memory are ordered if the clock of the later one knows the earlier one.
#include "sim.h"

static sim_stream* streams[SIM_STREAMS];
static int stream_count = SIM_DEVICES;  // the first SIM_DEVICES streams are the default streams

static sim_stream* make(int id, int device) {
  sim_stream* s = calloc(1, sizeof *s);
  s->id = id;
  s->device = device;
  s->alive = true;
  return streams[id] = s;
}

sim_stream* sim_stream_new(int device, int priority) {
  if (stream_count >= SIM_HOST) return NULL;
  sim_stream* s = make(stream_count++, device);
  s->priority = priority;
  return s;
}

sim_stream* sim_stream_of(cudaStream_t h) {
  // The handles 0, 1 and 2 are the default stream of the current device.
  if ((uintptr_t)h <= 2) return streams[sim_current] ? streams[sim_current] : make(sim_current, sim_current);
  sim_stream* s = (sim_stream*)h;
  for (int i = 0; i < stream_count; i++)
    if (streams[i] == s && s->alive) return s;
  sim_misuse("use of a stream that is not there");
  return NULL;
}

cudaError_t sim_ready(const sim_stream* s) {
  if (!s) return cudaErrorInvalidResourceHandle;
  const sim_capture* c = sim_capture_find(s->capture);
  return c && c->dead ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

sim_stream* sim_stream_at(int i) { return i < stream_count ? streams[i] : NULL; }
int sim_stream_count(void) { return stream_count; }

void sim_learn(sim_clock* c, const sim_clock* other) {
  for (int i = 0; i < SIM_STREAMS; i++)
    if (other->at[i] > c->at[i]) c->at[i] = other->at[i];
}

static void drop(sim_event* e) {
  if (--e->named == 0 && e->destroyed) free(e);
}

void sim_run_event(sim_event* e, uint64_t turn) {
  while (e->done < turn && e->on && e->on->count) sim_step(e->on);
}

// Performs a piece of work of a kind that graphs can record.
static void compute(const sim_work* w) {
  if (w->what == SIM_COPY) memmove(w->dst, w->src, w->n);
  if (w->what == SIM_SET) memset(w->dst, w->value, w->n);
}

void sim_step(sim_stream* s) {
  sim_work w = s->queue[s->head];
  if (w.what == SIM_WAIT) sim_run_event(w.ev, w.turn);
  s->head = (s->head + 1) % SIM_QUEUE;
  s->count--;
  switch (w.what) {
    case SIM_COPY:
    case SIM_SET:
    case SIM_KERNEL: compute(&w); break;
    case SIM_RECORD:
      w.ev->done = w.turn;
      clock_gettime(CLOCK_MONOTONIC, &w.ev->when);
      drop(w.ev);
      break;
    case SIM_WAIT: drop(w.ev); break;
    case SIM_CALL: w.call(w.dst); break;
    case SIM_GRAPH:
      for (size_t i = 0; i < w.graph->count; i++) compute(&w.graph->nodes[i]);
      sim_graph_drop(w.graph);
      break;
  }
}

void sim_run(sim_stream* s) {
  while (s->count) sim_step(s);
}

void sim_join(sim_stream* s) {
  sim_run(s);
  sim_learn(&sim_host, &s->clock);
}

void sim_run_all(void) {
  for (int i = 0; i < stream_count; i++)
    if (streams[i]) sim_join(streams[i]);
}

static bool within(const sim_work* w, const char* lo, const char* hi) {
  if (w->what != SIM_COPY && w->what != SIM_SET) return false;
  const char *d = w->dst, *f = w->src;
  return (d < hi && d + w->n > lo) || (f && f < hi && f + w->n > lo);
}

bool sim_idle(const void* lo, const void* hi) {
  for (int i = 0; i < stream_count; i++) {
    const sim_stream* s = streams[i];
    for (unsigned k = 0; s && k < s->count; k++) {
      const sim_work* w = &s->queue[(s->head + k) % SIM_QUEUE];
      if (within(w, lo, hi)) return false;
      for (size_t j = 0; w->what == SIM_GRAPH && j < w->graph->count; j++)
        if (within(&w->graph->nodes[j], lo, hi)) return false;
    }
  }
  return true;
}

void sim_push(sim_stream* s, sim_work w) {
  if (s->capture) {
    s->inside.at[s->id]++;
    sim_capture_add(sim_capture_find(s->capture), w);
    return;
  }
  if (s->count == SIM_QUEUE) sim_run(s);
  // This work comes after all work that the host has waited for, and after the stream's earlier work.
  sim_learn(&s->clock, &sim_host);
  s->clock.at[s->id]++;
  if (w.ev) w.ev->named++;
  s->queue[(s->head + s->count++) % SIM_QUEUE] = w;
}

void sim_used_by(sim_stream* s, const void* p, size_t n, bool write) {
  if (!s->capture) {
    sim_touch(p, n, s->id, &s->clock, write);
  } else if (n && sim_find(p)) {
    sim_touch_among(&sim_capture_find(s->capture)->uses, p, n, s->id, &s->inside, write);
  }
}

int sim_device_of(cudaStream_t h) {
  const sim_stream* s = sim_stream_of(h);
  return s ? s->device : -1;
}

cudaError_t sim_push_free(void* p, cudaStream_t h, void (*release)(void*)) {
  sim_stream* s = sim_stream_of(h);
  cudaError_t e = sim_alive();
  if (!e) e = sim_ready(s);
  if (!e && s->capture) e = sim_capture_break(sim_capture_find(s->capture), cudaErrorStreamCaptureUnsupported);
  if (e) return e;
  sim_block* b = sim_find(p);
  sim_push(s, (sim_work){.what = SIM_CALL, .dst = p, .call = release});
  sim_touch(p, b->n, s->id, &s->clock, true);
  b->freed = true;
  return cudaSuccess;
}
