// Records which operators ran, when, on which thread and from which line of Go code. See
// ../abi.h for the rules.
//
// Only one recording may run at a time. The caller must call start and stop alternately.
// Operators may run on any thread at any time. Recording never calls Go.
#ifndef GOTORCH_PROFILER_H
#define GOTORCH_PROFILER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  GT_PROF_INPUTS = 1 << 0,  // arguments: shapes, dtypes and numbers
  GT_PROF_FLOPS = 1 << 1,   // estimate of floating-point operations by libtorch's formulas
  GT_PROF_MEMORY = 1 << 2,  // allocations and frees, on the CPU and on devices
};

// The flags of an event.
enum {
  GT_PROF_OPEN = 1 << 0,     // still running when the recording ended; end is that time
  GT_PROF_FOREIGN = 1 << 1,  // on a thread of libtorch's own; stack is that of the call of Backward
};

typedef struct {
  int64_t start, end;   // ns of gt_prof_clock
  int64_t seq;          // libtorch's number of the autograd node, -1 if there is none
  int64_t flops;        // 0 if unknown
  int64_t bytes;        // bytes that the CPU allocator allocated minus those that it freed on this thread
  int64_t device_bytes;  // bytes allocated minus bytes freed on CUDA devices
  int64_t inputs;       // index of its first input in gt_prof_result.inputs, -1 if not recorded
  uint64_t fwd_thread;  // of a backward operator: libtorch's number of the forward operator's thread
  uint32_t name;        // index in the list of names
  uint32_t stack;       // the number of the calling Go stack, 0 = unknown
  uint16_t scope;       // at::RecordScope
  uint16_t flags;
  uint32_t thread;      // index in the list of threads
} gt_prof_event;

// A block that was allocated or, with a negative number of bytes, freed.
typedef struct {
  int64_t time;
  int64_t bytes;
  uint64_t addr;
  uint32_t thread;
  uint16_t in_operator;  // whether the thread was running an operator
  int16_t device;        // the number of the CUDA device, -1 for the CPU
} gt_prof_memory;

typedef struct {
  uint64_t number;  // libtorch's number of the thread
  int64_t tid;      // the system's thread ID
  int64_t handle;   // CUPTI's thread ID: the low half of pthread_self
} gt_prof_thread;

// The kinds of a device event.
enum {
  GT_PROF_KERNEL = 1,
  GT_PROF_MEMCPY,
  GT_PROF_MEMSET,
  GT_PROF_RUNTIME,   // a call of CUDA's runtime, on the CPU
  GT_PROF_DRIVER,    // a call of CUDA's driver, on the CPU
  GT_PROF_OVERHEAD,  // time spent by the recording, on the CPU
};

// Work on a CUDA device, or the call that started it.
typedef struct {
  int64_t start, end;   // ns of gt_prof_clock
  int64_t correlation;  // shared by a call and the device work that it started
  int64_t resource;     // stream of device work; thread of a call, as tid or handle
  int32_t device;       // -1 on the CPU
  int32_t kind;
} gt_prof_device_event;

// A recording. gt_prof_free frees all of its arrays. The events of a thread are adjacent,
// ordered by start time.
//
// The arguments of an event are encoded as words: first the number of arguments, and then
// each argument, a word followed by its contents. The word contains the kind
// (GT_PROF_ARG_*), the dtype starting at bit 8, and a length starting at bit 16. The
// contents are a tensor's sizes and strides, the number, or a list's elements.
typedef struct {
  gt_prof_event* events;
  int64_t n_events;
  gt_prof_memory* memory;
  int64_t n_memory;
  gt_prof_thread* threads;
  int64_t n_threads;
  int64_t* inputs;
  int64_t n_inputs;
  char* names;  // names of operators; each ends in a zero byte
  int64_t n_names;
  int64_t names_bytes;
  gt_prof_device_event* device_events;
  int64_t n_device_events;
  // Two strings for each device event, its name and metadata in JSON. Each ends in a zero byte.
  char* device_texts;
  int64_t device_texts_bytes;
  int devices_silent;  // 1: devices were in use, but nothing was reported
  // The time at which the recording reached its limit and became incomplete, or 0.
  int64_t cut;
} gt_prof_result;

enum {
  GT_PROF_ARG_OTHER,    // also None
  GT_PROF_ARG_TENSOR,
  GT_PROF_ARG_TENSORS,  // a list of arguments
  GT_PROF_ARG_INT,
  GT_PROF_ARG_FLOAT,    // the bits of a double
  GT_PROF_ARG_BOOL,
  GT_PROF_ARG_INTS,
  GT_PROF_ARG_SCALAR,   // a number of another kind
  GT_PROF_ARG_SCALARS,
};

// Starts recording on all threads. what is a sum of GT_PROF_*. Once the recording takes
// limit bytes, later calls are not recorded; 0 means no limit. A thread allocates tens of
// thousands of bytes at a time.
uintptr_t gt_prof_start(int what, int64_t limit);
// Returns the time at which the running recording reached its limit, or 0.
int64_t gt_prof_cut(void);
// Returns how many bytes the running recording takes.
int64_t gt_prof_bytes(void);
// Stops recording calls if on is 0, and resumes it otherwise.
void gt_prof_toggle(int on);
// Makes the running recording include CUDA devices. If they cannot be recorded, it returns an
// error, and the recording continues without them.
uintptr_t gt_prof_start_devices(void);
// Ends the recording and writes it to *out. If devices are recorded, it waits for the
// devices in use.
uintptr_t gt_prof_stop(gt_prof_result* out);
void gt_prof_free(gt_prof_result* r);
// Returns the time in ns on the system's monotonic clock.
int64_t gt_prof_clock(void);

#ifdef __cplusplus
}
#endif
#endif
