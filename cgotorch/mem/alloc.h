// The CPU allocator's C interface: statistics, limit, purge.
//
// Unlike the operators these functions neither touch tensors nor read the
// calling thread's libtorch state, so none of them takes a gt_ctx. All may be
// called from any thread, hold no Go memory and never call back into Go.
#ifndef GOTORCH_ALLOC_H
#define GOTORCH_ALLOC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Words that Go reads and writes in place with sync/atomic, so that polling
// the allocator after every operator costs a load instead of a crossing.
typedef struct {
  int64_t live_bytes;   // requested bytes alive now, exact
  int64_t threshold;    // written by Go: above this, pressure is raised
  // 1 once live_bytes + blocks * block_cost + overhead went above threshold, or
  // offered above look_at; Go clears it.
  uint32_t pressure;
  int64_t reserved_bytes;  // obtained from the system and not given back
  int64_t blocks;          // alive now, exact
  // Written by Go: what a block costs beside the bytes requested for it, and what
  // the process has beside blocks. Only the comparison with threshold uses them.
  int64_t block_cost;
  int64_t overhead;
  int64_t offered;  // bytes requested and block_cost of every allocation so far
  int64_t look_at;  // written by Go: above this, pressure is raised
} gt_mem_counters;

typedef struct {
  int64_t current, peak, allocated, freed;
} gt_mem_stat;

// PyTorch's DeviceStats. Index 0 is all pools, 1 the small one, 2 the large.
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

// The address of the process's one counters structure; valid for ever.
gt_mem_counters* gt_mem_counters_addr(void);

// Fills *out with a consistent view of every statistic.
void gt_mem_get_stats(gt_mem_stats* out);

// Sets every peak to its current value.
void gt_mem_reset_peak(void);
// Sets every allocated and freed sum, and the event counts, to zero.
void gt_mem_reset_accumulated(void);

// Returns every cached byte to the system, other threads' caches included.
void gt_mem_empty_cache(void);

// Returns the memory that has been free for at least min_age_ms to the system.
void gt_mem_trim(int64_t min_age_ms);

// A failed allocation: what was asked for, and the state at that moment.
typedef struct {
  int64_t requested, allocated, reserved, limit;
} gt_mem_oom;
// Reads the figures that go with an error of kind GT_ERR_OOM, which stays the
// caller's. Returns 0 if it is not one of this allocator's, or if so many have
// failed since that its figures are gone.
int gt_mem_oom_read(uintptr_t error, gt_mem_oom* out);
// Takes the failure behind an error back from num_ooms and the history, since its operator is
// called again. Returns 0, and does nothing, if it is not one of this allocator's.
int gt_mem_oom_forgive(uintptr_t error);

// For tests, while nothing else runs: the allocation after as many others fails, and if lasting, so do all after it. A
// negative number ends that. Returns how many were left, a negative number where one has failed or none was to.
int64_t gt_mem_fail(int64_t after, int lasting);

// Bounds reserved_bytes; 0 means no limit. An allocation that would pass it
// purges the cache and, if that does not help, throws c10::OutOfMemoryError.
// Returns 0, or the reserved bytes left after a purge when those already
// exceed the limit: the limit is then not changed.
int64_t gt_mem_set_limit(int64_t bytes);
int64_t gt_mem_get_limit(void);

// Measures the peak of live requested and block bytes inside windows that may
// nest and overlap. open returns an id > 0, or 0 without memory for it; close
// fills the peaks reached since open.
typedef struct {
  int64_t start_requested, start_allocated;
  int64_t end_requested, end_allocated;
  int64_t peak_requested, peak_allocated;
  int64_t allocations, allocated_bytes;  // made while open, by every thread
} gt_mem_window;
int64_t gt_mem_window_open(void);
int gt_mem_window_read(int64_t id, gt_mem_window* out, int close);

// "caching" or "system".
const char* gt_mem_backend(void);

#ifdef __cplusplus
}
#endif
#endif
