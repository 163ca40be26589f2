// A CUDA runtime and driver without a GPU, for tests of what sits above them:
// the caching allocator, streams and events. Device memory is host memory and
// kernels do nothing, so values on the device are not computed. What is real is
// the order of things: work given to a stream stays undone until somebody waits
// for it or asks, as on a busy GPU, and two pieces of work on the same memory
// that nothing orders are reported.
//
// Environment:
//   CUDASIM_DEVICES  how many devices there are, at most 8 (1)
//   CUDASIM_BYTES    the memory of each (1 GiB)
//   CUDASIM_OOM_AT   numbers of the requests for device memory that fail, as in
//                    "3,7"; "5-" is the fifth and all after it
//   CUDASIM_PEERS    1: devices can get at each other's memory
//   CUDASIM_LOST_AT  after so many calls that touch a device it is lost: they
//                    and all later ones fail
//   CUDASIM_REPORT   a file that gets a line for each mistake: work that nothing
//                    orders, handles and memory that are not there
//
// Layers, the lowest first; a file calls those above it in this list and none
// below, which a test of internal/lint holds them to:
//   device.c   devices, errors, the injection of failures
//   ledger.c   what memory there is, who used it last, how much is left
//   capture.c  what streams record instead of doing, graphs
//   queue.c    streams as queues of work, and their clocks
//   stream.c   the entry points for work, streams and events
//   graph.c    those for captures and graphs
//   memory.c   cudaMalloc and page-locked host memory
//   pool.c     cudaMallocAsync
//   virtual.c  addresses and memory apart from each other
//   blas.c     cuBLAS, which computes nothing
// driver.c is another library, libcuda.so.1, and uses none of them; so is cupti.c, which
// stands in for CUPTI where profiles are tested.
#ifndef CUDASIM_H
#define CUDASIM_H

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIM_DEVICES = 8, SIM_STREAMS = 512, SIM_QUEUE = 4096 };

// When something happened, as each stream knows it: at[i] of stream i's work.
// The host is stream SIM_HOST of this.
typedef struct {
  uint32_t at[SIM_STREAMS];
} sim_clock;
enum { SIM_HOST = SIM_STREAMS - 1 };

// A use of a stretch of memory that later ones are checked against.
typedef struct sim_use {
  struct sim_use* next;
  const char *lo, *hi;
  int stream;
  uint32_t at;
  bool write;
} sim_use;

typedef enum {
  SIM_DEVICE_MEMORY,
  SIM_RANGE,   // reserved addresses, which memory may be mapped to
  SIM_POOLED,  // of cudaMallocAsync
  SIM_PINNED,
  SIM_REGISTERED,
} sim_kind;

typedef struct sim_block {
  struct sim_block* next;
  char* p;
  size_t n;
  sim_kind kind;
  int device;
  bool freed;  // a stream is going to free it
  sim_use* uses;
} sim_block;

// device.c
extern pthread_mutex_t sim_mu;  // recursive; held in every entry point
extern __thread int sim_current;
int sim_devices(void);
size_t sim_bytes(void);
cudaError_t sim_fail(cudaError_t e);   // remembers e as the thread's last error
cudaError_t sim_alive(void);           // counts a call; the error once the device is lost
void sim_misuse(const char* format, ...) __attribute__((format(printf, 1, 2)));

// ledger.c
extern sim_clock sim_host;  // what the host has waited for
sim_block* sim_add(char* p, size_t n, sim_kind kind, int device);
sim_block* sim_find(const void* p);
sim_block* sim_overlapping(const char* p, size_t n);  // one of those that do
void sim_forget(sim_block* b);
// Takes memory of a device, if it has so much and the call is not one that is to
// fail; gives it back; says how much is taken.
bool sim_take(int device, size_t n);
void sim_give(int device, size_t n);
size_t sim_used(int device);
// Checks a use of memory by stream against earlier ones and keeps it.
void sim_touch(const void* p, size_t n, int stream, const sim_clock* now, bool write);
// The same among the uses of a list, which need not be of one block.
void sim_touch_among(sim_use** uses, const void* p, size_t n, int stream, const sim_clock* now, bool write);
void sim_unuse(const char* lo, const char* hi);  // forgets the uses of this memory
// Reserved addresses have memory from sim_open on, up to the sim_shut of the same
// start.
void sim_open(const char* lo, const char* hi);
void sim_shut(const char* lo);
bool sim_mapped(const void* p, size_t n);  // not reserved addresses without memory

// capture.c
typedef struct sim_event sim_event;
typedef struct sim_graph sim_graph;

// A piece of work.
typedef struct {
  enum { SIM_COPY, SIM_SET, SIM_KERNEL, SIM_RECORD, SIM_WAIT, SIM_CALL, SIM_GRAPH } what;
  void* dst;
  const void* src;
  size_t n;
  int value;
  void (*call)(void*);  // with SIM_CALL, on dst
  sim_event* ev;
  uint64_t turn;        // with SIM_RECORD and SIM_WAIT: which record of the event
  sim_graph* graph;     // with SIM_GRAPH
  bool owned_dst, owned_src;  // in a graph: the memory is the driver's
} sim_work;

// Work that was recorded, in the order in which it was given. Whoever names it counts.
struct sim_graph {
  sim_work* nodes;
  size_t count, room;
  int named;
};

// A recording that is under way.
typedef struct sim_capture {
  struct sim_capture* next;
  unsigned long long id;
  int origin;  // the stream that it began on
  pthread_t thread;
  enum cudaStreamCaptureMode mode;
  bool dead;
  sim_use* uses;  // of memory within the recording
  sim_graph* graph;
} sim_capture;

sim_capture* sim_capture_new(int stream, enum cudaStreamCaptureMode mode);
sim_capture* sim_capture_find(unsigned long long id);
// Ends it and returns what was recorded, NULL if it is dead.
sim_graph* sim_capture_end(sim_capture* c);
void sim_capture_add(sim_capture* c, sim_work w);
// The error of a call that breaks the recording.
cudaError_t sim_capture_break(sim_capture* c, cudaError_t e);
// The error of a call that no recording allows, such as cudaMalloc, if one is under
// way that the calling thread may break.
cudaError_t sim_capture_forbids(void);
sim_graph* sim_graph_name(sim_graph* g);
void sim_graph_drop(sim_graph* g);

// queue.c
typedef struct {
  int id;
  bool alive;
  int device, priority;
  sim_work queue[SIM_QUEUE];
  unsigned head, count;
  sim_clock clock;
  unsigned long long capture;  // the recording that it takes part in, else 0
  sim_clock inside;            // its clock in that
} sim_stream;

struct sim_event {
  unsigned flags;
  uint64_t recorded, done;  // how often
  sim_stream* on;
  sim_clock clock;
  struct timespec when;
  bool destroyed;  // kept while queues still name it
  int named;
  unsigned long long capture;  // the recording that it was last recorded in, else 0
  sim_clock inside;
};

sim_stream* sim_stream_new(int device, int priority);  // NULL if there are too many
sim_stream* sim_stream_of(cudaStream_t stream);        // NULL and a report if there is none
// Whether it can take work: it is there, and its recording, if any, is not broken.
cudaError_t sim_ready(const sim_stream* s);
sim_stream* sim_stream_at(int i);  // NULL for a number that none has
int sim_stream_count(void);
void sim_learn(sim_clock* c, const sim_clock* other);
void sim_step(sim_stream* s);      // does the oldest piece of work
void sim_run(sim_stream* s);
void sim_run_event(sim_event* e, uint64_t turn);
void sim_push(sim_stream* s, sim_work w);  // or records it
void sim_used_by(sim_stream* s, const void* p, size_t n, bool write);
void sim_join(sim_stream* s);      // waits: the host then knows all that it did
void sim_run_all(void);
bool sim_idle(const void* lo, const void* hi);  // no undone work on this memory
int sim_device_of(cudaStream_t stream);         // -1 if there is no such stream
// Calls release with p once the stream gets there.
cudaError_t sim_push_free(void* p, cudaStream_t stream, void (*release)(void*));

#define SIM_LOCK() pthread_mutex_lock(&sim_mu)
#define SIM_RETURN(e)                 \
  do {                                \
    cudaError_t sim_result_ = (e);    \
    pthread_mutex_unlock(&sim_mu);    \
    return sim_fail(sim_result_);     \
  } while (0)
#define SIM_DRIVER_RETURN(e)          \
  do {                                \
    CUresult sim_result_ = (e);       \
    pthread_mutex_unlock(&sim_mu);    \
    return sim_result_;               \
  } while (0)

#endif
