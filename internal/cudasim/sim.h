// A CUDA runtime and driver without a GPU, for tests of the code that uses them: the
// caching allocator, streams and events. Device memory is host memory, and kernels do
// nothing, so results on the device are not computed. The order of work is real: work on
// a stream is not done until the host waits for it or queries it, as on a busy GPU. If
// two pieces of work use the same memory and nothing determines their order, the
// simulation reports this.
//
// Environment:
//   CUDASIM_DEVICES  number of devices, at most 8 (default 1)
//   CUDASIM_BYTES    memory of each device (default 1 GiB)
//   CUDASIM_OOM_AT   numbers of the requests for device memory that fail, as in
//                    "3,7"; "5-" means the fifth and all later ones
//   CUDASIM_PEERS    1: devices can access each other's memory
//   CUDASIM_LOST_AT  number of the first call that fails because the device is
//                    lost; all later calls that touch a device fail too
//   CUDASIM_REPORT   a file to which a line is written for each mistake, such as
//                    unordered work, or handles and memory that do not exist
//
// Layers, from the lowest to the highest. A file calls only files above it in this list;
// a test of internal/lint checks this:
//   device.c   devices, errors, simulated failures
//   ledger.c   the existing memory, its latest uses, and the memory left
//   capture.c  captures of streams, and graphs
//   queue.c    streams as queues of work, and their clocks
//   stream.c   the functions for work, streams and events
//   graph.c    the functions for captures and graphs
//   memory.c   cudaMalloc and page-locked host memory
//   pool.c     cudaMallocAsync
//   virtual.c  virtual memory: separate addresses and memory
//   blas.c     cuBLAS, which computes nothing
// driver.c and cupti.c are separate libraries and use none of these files: driver.c is
// libcuda.so.1, and cupti.c replaces CUPTI in tests of profiles.
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

// The logical time of a piece of work: at[i] is the number of pieces of work on stream i
// that come before it. The host counts as stream SIM_HOST.
typedef struct {
  uint32_t at[SIM_STREAMS];
} sim_clock;
enum { SIM_HOST = SIM_STREAMS - 1 };

// A use of a range of memory. Later uses of that memory are checked against it.
typedef struct sim_use {
  struct sim_use* next;
  const char *lo, *hi;
  int stream;
  uint32_t at;
  bool write;
} sim_use;

typedef enum {
  SIM_DEVICE_MEMORY,
  SIM_RANGE,   // reserved addresses, to which memory may be mapped
  SIM_POOLED,  // memory from cudaMallocAsync
  SIM_PINNED,
  SIM_REGISTERED,
} sim_kind;

typedef struct sim_block {
  struct sim_block* next;
  char* p;
  size_t n;
  sim_kind kind;
  int device;
  bool freed;  // a stream will free it after the stream's earlier work
  sim_use* uses;
} sim_block;

// device.c
extern pthread_mutex_t sim_mu;  // recursive; every entry point locks it
extern __thread int sim_current;
int sim_devices(void);
size_t sim_bytes(void);
cudaError_t sim_fail(cudaError_t e);   // stores e as the thread's last error
cudaError_t sim_alive(void);           // counts a call; fails once the device is lost
void sim_misuse(const char* format, ...) __attribute__((format(printf, 1, 2)));

// ledger.c
extern sim_clock sim_host;  // the work that the host has waited for
sim_block* sim_add(char* p, size_t n, sim_kind kind, int device);
sim_block* sim_find(const void* p);
sim_block* sim_overlapping(const char* p, size_t n);  // returns one of the blocks that overlap the range
void sim_forget(sim_block* b);
// sim_take takes memory of a device. It fails if too little is left, or if a failure is
// simulated. sim_give gives memory back. sim_taken returns how much is taken.
bool sim_take(int device, size_t n);
void sim_give(int device, size_t n);
size_t sim_used(int device);
// Checks a stream's use of memory against earlier uses, and records it.
void sim_touch(const void* p, size_t n, int stream, const sim_clock* now, bool write);
// Like sim_touch, for the uses in a list, which may belong to several blocks.
void sim_touch_among(sim_use** uses, const void* p, size_t n, int stream, const sim_clock* now, bool write);
void sim_unuse(const char* lo, const char* hi);  // removes the uses of this range
// Reserved addresses have memory from a call of sim_open
// until a call of sim_shut with the same start.
void sim_open(const char* lo, const char* hi);
void sim_shut(const char* lo);
bool sim_mapped(const void* p, size_t n);  // returns false for reserved addresses without memory

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
  void (*call)(void*);  // SIM_CALL: the function to call with dst
  sim_event* ev;
  uint64_t turn;        // SIM_RECORD, SIM_WAIT: number of the event's record
  sim_graph* graph;     // with SIM_GRAPH
  bool owned_dst, owned_src;  // in a graph: whether this library has allocated the memory
} sim_work;

// Recorded work, in the order of recording. named is the reference count.
struct sim_graph {
  sim_work* nodes;
  size_t count, room;
  int named;
};

// A capture in progress.
typedef struct sim_capture {
  struct sim_capture* next;
  unsigned long long id;
  int origin;  // the stream on which the capture began
  pthread_t thread;
  enum cudaStreamCaptureMode mode;
  bool dead;
  sim_use* uses;  // uses of memory by the captured work
  sim_graph* graph;
} sim_capture;

sim_capture* sim_capture_new(int stream, enum cudaStreamCaptureMode mode);
sim_capture* sim_capture_find(unsigned long long id);
// Ends the capture. Returns the recorded graph, or NULL if the capture is broken.
sim_graph* sim_capture_end(sim_capture* c);
void sim_capture_add(sim_capture* c, sim_work w);
// Breaks the capture because of the error e, and returns e.
cudaError_t sim_capture_break(sim_capture* c, cudaError_t e);
// Some captures forbid calls such as cudaMalloc on the calling thread. If one is in progress,
// breaks it and returns an error.
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
  unsigned long long capture;  // number of the capture that the stream takes part in, or 0
  sim_clock inside;            // the stream's clock in that capture
} sim_stream;

struct sim_event {
  unsigned flags;
  uint64_t recorded, done;  // how many records of the event were queued, and how many are done
  sim_stream* on;
  sim_clock clock;
  struct timespec when;
  bool destroyed;  // destroyed, but not freed while queues refer to it
  int named;
  unsigned long long capture;  // number of the capture that last recorded the event, or 0
  sim_clock inside;
};

sim_stream* sim_stream_new(int device, int priority);  // returns NULL if there are too many streams
sim_stream* sim_stream_of(cudaStream_t stream);        // reports a stream that does not exist, and returns NULL
// Returns an error if the stream does not exist or its capture is broken.
cudaError_t sim_ready(const sim_stream* s);
sim_stream* sim_stream_at(int i);  // returns NULL if no stream has this number
int sim_stream_count(void);
void sim_learn(sim_clock* c, const sim_clock* other);
void sim_step(sim_stream* s);      // does the oldest piece of work
void sim_run(sim_stream* s);
void sim_run_event(sim_event* e, uint64_t turn);
void sim_push(sim_stream* s, sim_work w);  // queues w, or records it in a capture
void sim_used_by(sim_stream* s, const void* p, size_t n, bool write);
void sim_join(sim_stream* s);      // waits for all work of the stream, and adds it to sim_host
void sim_run_all(void);
bool sim_idle(const void* lo, const void* hi);  // whether no queued work uses this memory
int sim_device_of(cudaStream_t stream);         // returns -1 if there is no such stream
// Calls release with p when the stream has done its earlier work.
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
