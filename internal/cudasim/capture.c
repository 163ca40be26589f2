// What streams record during a capture: the captures in progress, and
// the graphs that result. Within a capture each stream has a second
// clock, so that unordered work on the same memory is found there too.
#include "sim.h"

static sim_capture* captures;
static __thread enum cudaStreamCaptureMode strictness;  // of the calling thread; initially global

sim_capture* sim_capture_new(int stream, enum cudaStreamCaptureMode mode) {
  static unsigned long long ids;
  sim_capture* c = calloc(1, sizeof *c);
  *c = (sim_capture){.next = captures, .id = ++ids, .origin = stream, .thread = pthread_self(), .mode = mode};
  c->graph = calloc(1, sizeof *c->graph);
  c->graph->named = 1;
  return captures = c;
}

sim_capture* sim_capture_find(unsigned long long id) {
  for (sim_capture* c = id ? captures : NULL; c; c = c->next)
    if (c->id == id) return c;
  return NULL;
}

sim_graph* sim_capture_end(sim_capture* gone) {
  for (sim_capture** at = &captures; *at; at = &(*at)->next) {
    if (*at != gone) continue;
    *at = gone->next;
    break;
  }
  sim_graph* g = gone->graph;
  if (gone->dead) {
    sim_graph_drop(g);
    g = NULL;
  }
  while (gone->uses) {
    sim_use* u = gone->uses;
    gone->uses = u->next;
    free(u);
  }
  free(gone);
  return g;
}

void sim_capture_add(sim_capture* c, sim_work w) {
  sim_graph* g = c->graph;
  if (g->count == g->room) {
    g->room = g->room ? 2 * g->room : 16;
    g->nodes = realloc(g->nodes, g->room * sizeof *g->nodes);
  }
  w.owned_dst = w.dst && sim_find(w.dst);
  w.owned_src = w.src && sim_find(w.src);
  g->nodes[g->count++] = w;
}

cudaError_t sim_capture_break(sim_capture* c, cudaError_t e) {
  if (c) c->dead = true;
  return e;
}

cudaError_t sim_capture_forbids(void) {
  if (strictness == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  cudaError_t e = cudaSuccess;
  for (sim_capture* c = captures; c; c = c->next) {
    const bool own = pthread_equal(c->thread, pthread_self());
    if (c->mode == cudaStreamCaptureModeRelaxed) continue;
    if (own || (c->mode == cudaStreamCaptureModeGlobal && strictness == cudaStreamCaptureModeGlobal)) {
      e = sim_capture_break(c, cudaErrorStreamCaptureUnsupported);
    }
  }
  return e;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode* m) {
  const enum cudaStreamCaptureMode before = strictness;
  strictness = *m;
  *m = before;
  return cudaSuccess;
}

sim_graph* sim_graph_name(sim_graph* g) {
  g->named++;
  return g;
}

void sim_graph_drop(sim_graph* g) {
  if (--g->named) return;
  free(g->nodes);
  free(g);
}
