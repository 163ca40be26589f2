// The functions for captures and graphs. A graph is launched as one
// piece of work of its stream: all work that the graph has recorded
// runs at that time, in the order in which it was recorded.
#include "sim.h"

cudaError_t cudaStreamBeginCapture(cudaStream_t h, enum cudaStreamCaptureMode mode) {
  SIM_LOCK();
  sim_stream* s = sim_stream_of(h);
  cudaError_t e = sim_ready(s);
  if (!e && s->capture) e = cudaErrorIllegalState;
  if (!e && s->id < SIM_DEVICES) e = cudaErrorStreamCaptureUnsupported;  // a default stream
  if (e) SIM_RETURN(e);
  s->capture = sim_capture_new(s->id, mode)->id;
  memset(&s->inside, 0, sizeof s->inside);
  SIM_RETURN(cudaSuccess);
}

// Whether another stream has work in the capture that the ending stream has not waited for.
static bool unjoined(const sim_stream* s) {
  for (int i = 0; i < sim_stream_count(); i++) {
    const sim_stream* other = sim_stream_at(i);
    if (!other || other == s || other->capture != s->capture) continue;
    if (other->inside.at[other->id] > s->inside.at[other->id]) return true;
  }
  return false;
}

cudaError_t cudaStreamEndCapture(cudaStream_t h, cudaGraph_t* out) {
  SIM_LOCK();
  *out = NULL;
  sim_stream* s = sim_stream_of(h);
  sim_capture* c = s ? sim_capture_find(s->capture) : NULL;
  cudaError_t e = !s ? cudaErrorInvalidResourceHandle : !c ? cudaErrorIllegalState : cudaSuccess;
  if (!e && c->origin != s->id) e = sim_capture_break(c, cudaErrorStreamCaptureUnmatched);
  if (!e && c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self())) {
    e = sim_capture_break(c, cudaErrorStreamCaptureWrongThread);
  }
  if (e) SIM_RETURN(e);
  if (c->dead) {
    e = cudaErrorStreamCaptureInvalidated;
  } else if (unjoined(s)) {
    e = sim_capture_break(c, cudaErrorStreamCaptureUnjoined);
  }
  for (int i = 0; i < sim_stream_count(); i++) {
    sim_stream* other = sim_stream_at(i);
    if (other && other->capture == c->id) other->capture = 0;
  }
  *out = (cudaGraph_t)sim_capture_end(c);
  SIM_RETURN(e);
}

static enum cudaStreamCaptureStatus status_of(const sim_stream* s) {
  const sim_capture* c = s ? sim_capture_find(s->capture) : NULL;
  if (!c) return cudaStreamCaptureStatusNone;
  return c->dead ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t h, enum cudaStreamCaptureStatus* status) {
  SIM_LOCK();
  const sim_stream* s = sim_stream_of(h);
  *status = status_of(s);
  SIM_RETURN(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t h, enum cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* g, const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                     size_t* n) {
  SIM_LOCK();
  const sim_stream* s = sim_stream_of(h);
  *status = status_of(s);
  const sim_capture* c = s ? sim_capture_find(s->capture) : NULL;
  if (id) *id = c ? c->id : 0;
  if (g) *g = c ? (cudaGraph_t)c->graph : NULL;
  if (nodes) *nodes = NULL;  // dependencies between nodes are not simulated
  if (edges) *edges = NULL;
  if (n) *n = 0;
  SIM_RETURN(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t h, cudaGraphNode_t* nodes, size_t* n) {
  SIM_LOCK();
  const sim_graph* g = (sim_graph*)h;
  for (size_t i = 0; nodes && i < *n && i < g->count; i++) nodes[i] = (cudaGraphNode_t)&g->nodes[i];
  *n = g->count;
  SIM_RETURN(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t h) {
  SIM_LOCK();
  sim_graph_drop((sim_graph*)h);
  SIM_RETURN(cudaSuccess);
}

// An executable graph is the graph itself, with another reference: nodes never change.
typedef struct {
  sim_graph* graph;
} launchable;

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t g, unsigned long long flags) {
  (void)flags;
  SIM_LOCK();
  const cudaError_t e = sim_alive();
  *out = NULL;
  if (e) SIM_RETURN(e);
  launchable* l = calloc(1, sizeof *l);
  l->graph = sim_graph_name((sim_graph*)g);
  *out = (cudaGraphExec_t)l;
  SIM_RETURN(cudaSuccess);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t g, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(out, g, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t h) {
  SIM_LOCK();
  launchable* l = (launchable*)h;
  sim_graph_drop(l->graph);
  free(l);
  SIM_RETURN(cudaSuccess);
}

// Records that a launched graph uses memory, and reports memory that was freed.
static void replay(sim_stream* s, const void* p, size_t n, bool owned, bool write) {
  if (owned && !sim_find(p)) sim_misuse("a graph uses %p, which was freed", p);
  sim_used_by(s, p, n, write);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t h, cudaStream_t sh) {
  SIM_LOCK();
  sim_stream* s = sim_stream_of(sh);
  cudaError_t e = sim_alive();
  if (!e) e = sim_ready(s);
  if (!e && s->capture) e = sim_capture_break(sim_capture_find(s->capture), cudaErrorStreamCaptureUnsupported);
  if (e) SIM_RETURN(e);
  sim_graph* g = ((launchable*)h)->graph;
  sim_push(s, (sim_work){.what = SIM_GRAPH, .graph = sim_graph_name(g)});
  for (size_t i = 0; i < g->count; i++) {
    const sim_work* w = &g->nodes[i];
    if (w->src) replay(s, w->src, w->n, w->owned_src, false);
    if (w->dst) replay(s, w->dst, w->n, w->owned_dst, true);
  }
  SIM_RETURN(cudaSuccess);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t h, const char* path, unsigned flags) {
  (void)flags;
  SIM_LOCK();
  static const char* const names[] = {"MEMCPY", "MEMSET", "KERNEL"};
  const sim_graph* g = (sim_graph*)h;
  FILE* f = fopen(path, "w");
  if (!f) SIM_RETURN(cudaErrorOperatingSystem);
  fputs("digraph dot {\n", f);
  for (size_t i = 0; i < g->count; i++) fprintf(f, "  node%zu [label=\"%s\"];\n", i, names[g->nodes[i].what]);
  for (size_t i = 1; i < g->count; i++) fprintf(f, "  node%zu -> node%zu;\n", i - 1, i);
  fputs("}\n", f);
  fclose(f);
  SIM_RETURN(cudaSuccess);
}
