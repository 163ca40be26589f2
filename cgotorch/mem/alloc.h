// The C interface of the CPU allocator: it reads statistics, sets the limit and frees the
// cache.
//
// Unlike operators, these functions do not use tensors or the calling thread's libtorch
// state, so they take no gt_ctx. They may be called from any thread, keep no Go memory
// and never call Go.
#ifndef GOTORCH_ALLOC_H
#define GOTORCH_ALLOC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Words that Go reads and writes in place with sync/atomic, so that checking the allocator after
// every operator costs a load instead of a call.
typedef struct {
  int64_t live_bytes;   // sum of the requested bytes of live blocks, exact
  int64_t threshold;    // written by Go: above this, pressure becomes 1
  // Becomes 1 when live_bytes + blocks * block_cost + overhead exceeds threshold, or offered
  // exceeds look_at. Go clears it.
  uint32_t pressure;
  int64_t reserved_bytes;  // bytes obtained from the system and not returned
  int64_t blocks;          // live blocks, exact
  // Written by Go, in bytes: the cost of a block beyond its requested bytes, and the
  // process's memory outside blocks. Used only for the comparison with threshold.
  int64_t block_cost;
  int64_t overhead;
  int64_t offered;  // sum of the requested bytes and block_cost of all allocations so far
  int64_t look_at;  // written by Go: if offered is above this, pressure becomes 1
} gt_mem_counters;

typedef struct {
  int64_t current, peak, allocated, freed;
} gt_mem_stat;

// The same statistics as PyTorch's DeviceStats. Index 0 is all blocks, 1 the small pool, 2 the large pool.
typedef struct {
  gt_mem_stat allocation[3];
  gt_mem_stat segment[3];
  gt_mem_stat active[3];
  gt_mem_stat inactive_split[3];
  gt_mem_stat allocated_bytes[3];
  gt_mem_stat reserved_bytes[3];
  gt_mem_stat active_bytes[3];
  gt_mem_stat inactive_split_bytes[3];
  gt_mem_stat requested_bytes[3];
  gt_mem_stat oversize_allocations;
  gt_mem_stat oversize_segments;
  int64_t num_alloc_retries;
  int64_t num_ooms;
  int64_t num_sync_all_streams;
  int64_t num_device_alloc;
  int64_t num_device_free;
  int64_t max_split_size;
} gt_mem_stats;

// Returns the address of the process's only gt_mem_counters, which is always valid.
gt_mem_counters* gt_mem_counters_addr(void);

// Fills *out with all statistics, read at the same moment.
void gt_mem_get_stats(gt_mem_stats* out);

// Sets the peak of each statistic to its current value.
void gt_mem_reset_peak(void);
// Sets the event counts and all sums of allocated and freed memory to zero.
void gt_mem_reset_accumulated(void);

// Returns all cached memory to the system, including the caches of other threads.
void gt_mem_empty_cache(void);

// Returns to the system the memory that has been free for at least min_age_ms.
void gt_mem_trim(int64_t min_age_ms);

// A failed allocation: the requested bytes, and the allocator's state at that moment.
typedef struct {
  int64_t requested, allocated, reserved, limit;
} gt_mem_oom;
// Reads the details of an error of kind GT_ERR_OOM. Returns 0 if the error is not from this
// allocator, or if its details are gone because too many failures have followed.
int gt_mem_oom_read(uintptr_t error, gt_mem_oom* out);
// Removes a failure from num_ooms and the history, because the operator that failed is called
// again. Returns 0 and does nothing if the error is not from this allocator.
int gt_mem_oom_forgive(uintptr_t error);

// For tests, while nothing else is running: lets `after` allocations succeed, then makes
// one fail, or all if lasting is set. A negative number turns this off. Returns how many
// allocations were still to succeed, or a negative number if one has failed or none was
// to fail.
int64_t gt_mem_fail(int64_t after, int lasting);

// Limits reserved_bytes; 0 means no limit. An allocation that would exceed the limit
// purges the cache and, if that does not help, throws c10::OutOfMemoryError. Returns 0.
// If the reserved bytes exceed the new limit even after a purge, returns the reserved
// bytes and changes nothing.
int64_t gt_mem_set_limit(int64_t bytes);
int64_t gt_mem_get_limit(void);

// A window measures the peaks of live requested bytes and of block bytes. Windows may
// nest and overlap. open returns an id > 0, or 0 if out of memory. read writes the values
// measured so far.
typedef struct {
  int64_t start_requested, start_allocated;
  int64_t end_requested, end_allocated;
  int64_t peak_requested, peak_allocated;
  int64_t allocations, allocated_bytes;  // by all threads while the window was open
} gt_mem_window;
int64_t gt_mem_window_open(void);
int gt_mem_window_read(int64_t id, gt_mem_window* out, int close);

// "caching" or "system".
const char* gt_mem_backend(void);

#ifdef __cplusplus
}
#endif
#endif
