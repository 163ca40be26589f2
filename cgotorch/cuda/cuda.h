// CUDA behind a C interface: opening the library, the caching allocator, streams and
// events.
//
// libtorch_cuda is not linked: gt_cuda_load opens it, and every other function requires
// that gt_cuda_load has succeeded. Errors are as in abi.h. All functions may be called
// from any thread, and none calls back into Go.
#ifndef GOTORCH_CUDA_H
#define GOTORCH_CUDA_H

#include "abi.h"
#include "alloc.h"

#ifdef __cplusplus
extern "C" {
#endif

// Opens libtorch_cuda in the directory of libtorch_cpu and initializes CUDA.
uintptr_t gt_cuda_load(void);
// Returns the number of devices, 0 before gt_cuda_load.
int gt_cuda_device_count(void);

// --- memory -------------------------------------------------------------

uintptr_t gt_cuda_stats(int device, gt_mem_stats* out);
uintptr_t gt_cuda_reset_peak(int device);
uintptr_t gt_cuda_reset_accumulated(int device);
// Returns memory without tensors to the driver, on one device or, for -1, on all. The
// caller's innermost pool use, given by the parameter use (0 for none), does not prevent
// this. But if other goroutines use pools, libtorch frees only memory in pools. With an
// allocator other than the native one, and in a build without CUDA headers, this empties
// the caches of all devices.
uintptr_t gt_cuda_empty_cache(int device, uint32_t use);
uintptr_t gt_cuda_mem_info(int device, int64_t* out_free, int64_t* out_total);

// Statistics of page-locked host memory, as in PyTorch's HostStats.
typedef struct {
  gt_mem_stat active_requests, active_bytes, allocations, allocated_bytes;
  int64_t num_host_alloc, num_host_free;
  int64_t alloc_total_us, alloc_max_us, alloc_min_us, alloc_count;
  int64_t free_total_us, free_max_us, free_min_us, free_count;
} gt_cuda_host_stats;
uintptr_t gt_cuda_host_read(gt_cuda_host_stats* out);
uintptr_t gt_cuda_host_reset(int accumulated);
uintptr_t gt_cuda_host_empty_cache(void);

// Functions that need libtorch's own CUDA allocator. In a build without CUDA headers they fail with
// GT_ERR_MISSING.
uintptr_t gt_cuda_set_fraction(int device, double fraction);
uintptr_t gt_cuda_get_fraction(int device, double* out);
uintptr_t gt_cuda_backend(char** out);  // malloc'd

// The bytes of live tensors on a device, for the pacer. Go writes threshold. When
// live_bytes exceeds threshold, the word passed to gt_cuda_watch becomes 1.
typedef struct {
  int64_t live_bytes;
  int64_t threshold;
} gt_cuda_counters;
gt_cuda_counters* gt_cuda_counters_addr(int device);
uintptr_t gt_cuda_watch(uint32_t* pressure);

// Windows on a device, like the CPU's windows in alloc.h. gt_cuda_watch must have succeeded.
// Reading a window that is not open is an error.
uintptr_t gt_cuda_window_open(int device, int64_t* out_id);
uintptr_t gt_cuda_window_read(int device, int64_t id, gt_mem_window* out, int close);

// Memory pools. A pool use has a number, which is stored in the field pool of a row of
// modes. Threads in that row allocate on the pool's device only from the pool. outer is
// the enclosing use, or 0; it applies to other devices and must end later. Numbers are
// reused, so no thread may allocate in that row after the use has ended.
typedef struct {
  uint64_t a, b;
} gt_cuda_pool;
uintptr_t gt_cuda_pool_new(int device, gt_cuda_pool* out);
uintptr_t gt_cuda_pool_begin(int device, gt_cuda_pool pool, uint32_t outer, uint32_t* out_use);
uintptr_t gt_cuda_pool_end(uint32_t use);
uintptr_t gt_cuda_pool_release(int device, gt_cuda_pool pool);

// --- devices, streams, events ---------------------------------------------

// A stream as libtorch identifies it: by its id and its device.
typedef struct {
  int64_t id;
  int32_t device;
} gt_cuda_stream;

// The current device and the current streams are modes (modes.h). gt_cuda_load provides the
// functions that read and set them.
uintptr_t gt_cuda_synchronize(int device);
uintptr_t gt_cuda_new_stream(int device, int priority, gt_cuda_stream* out);
uintptr_t gt_cuda_stream_query(gt_cuda_stream s, int* out);
uintptr_t gt_cuda_stream_synchronize(gt_cuda_stream s);
uintptr_t gt_cuda_record_stream(gt_tensor t, gt_cuda_stream s);

// Writes the driver's handle of a stream, a cudaStream_t.
uintptr_t gt_cuda_stream_handle(gt_cuda_stream s, uintptr_t* out);
uintptr_t gt_cuda_stream_priority(gt_cuda_stream s, int* out);
// Writes the lowest and the highest priority of libtorch's streams.
uintptr_t gt_cuda_priorities(int device, int* least, int* greatest);

// The driver's properties of a device. The name ends in a zero byte.
typedef struct {
  char name[256];
  unsigned char uuid[16];
  int64_t total_memory;  // bytes
} gt_cuda_properties;
uintptr_t gt_cuda_properties_read(int device, gt_cuda_properties* out);
// Writes an attribute of a device, by the attribute's number in cudaDeviceAttr.
uintptr_t gt_cuda_attribute(int device, int which, int* out);
uintptr_t gt_cuda_can_access_peer(int device, int peer, int* out);
// Writes the build configuration of libtorch_cuda, a text that the caller frees.
uintptr_t gt_cuda_config(char** out);

// Creates an event with flags of the CUDA runtime: 1 makes waiting threads block instead
// of spin, 2 turns timing off, 4 allows use in other processes. gt_cuda_event_record also
// creates an event if *event is 0. The caller owns the event until gt_cuda_event_destroy.
uintptr_t gt_cuda_event_create(int device, unsigned flags, uintptr_t* out);
uintptr_t gt_cuda_event_record(uintptr_t* event, gt_cuda_stream s, int timing);
uintptr_t gt_cuda_event_wait(uintptr_t event, gt_cuda_stream s);
uintptr_t gt_cuda_event_query(uintptr_t event, int* out);
uintptr_t gt_cuda_event_synchronize(uintptr_t event);
uintptr_t gt_cuda_event_elapsed(uintptr_t start, uintptr_t end, int device, double* out_ms);
void gt_cuda_event_destroy(uintptr_t event, int device);

// --- graphs -------------------------------------------------------------------

// The caller owns a graph until gt_cuda_graph_free. Functions may be called from any
// thread, but a capture must end on the thread that began it, unless its mode is relaxed.
typedef uintptr_t gt_cuda_graph;
uintptr_t gt_cuda_graph_new(int keep_graph, gt_cuda_graph* out);
void gt_cuda_graph_free(gt_cuda_graph g);
// Returns the number of a pool that no graph uses yet.
uintptr_t gt_cuda_graph_pool(gt_cuda_pool* out);
// Starts capturing the work on s. Memory is allocated from the pool. mode is 0 for
// global, 1 for thread-local, 2 for relaxed. During the call, s is the thread's current
// stream.
uintptr_t gt_cuda_graph_begin(gt_cuda_graph g, gt_cuda_stream s, gt_cuda_pool pool, int mode);
// Ends the capture. If that fails, the graph is empty again and the pool is released.
uintptr_t gt_cuda_graph_end(gt_cuda_graph g, gt_cuda_stream s);
uintptr_t gt_cuda_graph_instantiate(gt_cuda_graph g);
uintptr_t gt_cuda_graph_replay(gt_cuda_graph g, gt_cuda_stream s);
uintptr_t gt_cuda_graph_reset(gt_cuda_graph g);
uintptr_t gt_cuda_graph_dump(gt_cuda_graph g, const char* path);
// Writes the driver's cudaGraph_t, which the graph still owns.
uintptr_t gt_cuda_graph_raw(gt_cuda_graph g, uintptr_t* out);
// Makes replays draw new numbers from the generator. Must be called before gt_cuda_graph_begin.
uintptr_t gt_cuda_graph_generator(gt_cuda_graph g, gt_generator gen);
// Whether s is being captured: 0 no, 1 yes, 2 the capture has failed.
uintptr_t gt_cuda_stream_capturing(gt_cuda_stream s, int* out);

#ifdef __cplusplus
}
#endif
#endif
