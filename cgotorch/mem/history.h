// The CPU allocator's history: allocations with their times and Go stacks, and live
// blocks.
//
// Recording calls neither Go nor libtorch's operators. The Go stack of an allocation is
// the number in the current gt_ctx.
#ifndef GOTORCH_HISTORY_H
#define GOTORCH_HISTORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GT_HISTORY_OFF, GT_HISTORY_STATE, GT_HISTORY_ALL };
enum { GT_CONTEXT_NONE, GT_CONTEXT_STATE, GT_CONTEXT_ALLOC, GT_CONTEXT_ALL };

enum {
  GT_EVENT_ALLOC,
  GT_EVENT_FREE,
  GT_EVENT_SEGMENT_ALLOC,
  GT_EVENT_SEGMENT_FREE,
  GT_EVENT_SNAPSHOT,
  GT_EVENT_OOM,
};

typedef struct {
  uint64_t addr;     // address; for GT_EVENT_OOM, the bytes that are still available
  int64_t size;      // requested bytes, or the size of a segment
  int64_t time_us;   // since 1970
  uint32_t stack;    // number of the Go stack, 0 = unknown
  uint32_t forward;  // in a backward pass: stack of the operator whose gradient is computed
  uint32_t thread;   // threads are numbered in the order of their first allocation
  uint32_t action;
} gt_event;

typedef struct {
  uint64_t addr;
  int64_t size, allocated, requested;
  int64_t first_block, blocks;  // index of the first block in gt_heap_view.blocks, and their number
  int32_t large;                // 1 for the large pool, 0 for the small pool
} gt_segment;

typedef struct {
  uint64_t addr;
  int64_t size, requested;  // in bytes; requested is 0 for a free block
  int64_t time_us;          // time of the allocation, 0 if it was not recorded
  uint32_t stack, forward;
  int32_t used;
} gt_block;

// All arrays are malloc'd. The caller owns them and frees them together with gt_heap_view_free.
typedef struct {
  gt_segment* segments;
  gt_block* blocks;
  gt_event* events;
  int64_t n_segments, n_blocks, n_events;
  int64_t lost;  // number of events that were overwritten, or dropped for lack of memory
} gt_heap_view;

// The live blocks of one stack that allocated them, summed.
typedef struct {
  uint32_t stack, forward;
  int64_t bytes, count;
} gt_site;

// Starts recording, or changes what is recorded. It keeps the newest max_entries events; 0 means no
// limit. clear removes earlier events.
void gt_history_start(int mode, int context, int64_t max_entries, int clear);
// Stops recording and removes all events and recorded blocks.
void gt_history_stop(void);
// Sets whether other devices' histories need gt_history_place to find the stack of the forward
// operator in a backward pass.
void gt_history_follow(int on);
int gt_history_mode(void);
// Returns the number of events, and writes the bytes that they take.
int64_t gt_history_events(int64_t* bytes);

// Makes allocations and frees call fn with the block's address, the change in bytes and
// the device (-1 for the CPU), on the same thread. This is independent of the history. A
// null fn turns this off. fn must not use the allocator, and may still be running on
// another thread when this function returns.
typedef void (*gt_mem_watcher)(uintptr_t addr, int64_t change, int device);
void gt_mem_watch(gt_mem_watcher fn);
// The allocators of other devices call this to report a block to the watcher, if there is one.
void gt_mem_watched(uintptr_t addr, int64_t change, int device);

// Copies the heap's blocks and, if requested, the events. Allocations wait until the copy
// is done. An allocation in progress may be in the blocks but not yet in the events, and
// a free in the events but not yet in the blocks. Returns 0 if out of memory.
int gt_heap_view_take(gt_heap_view* out, int with_events);
void gt_heap_view_free(gt_heap_view* v);

// Writes at most cap sites, largest first, and returns the number of all sites. Returns 0
// if nothing is recorded.
int64_t gt_history_sites(gt_site* out, int64_t cap);

// Writes the calling thread's current stack and, in a backward pass, the
// stack of the forward operator. The histories of other devices use this.
void gt_history_place(uint32_t* stack, uint32_t* forward);

#ifdef __cplusplus
}
#endif
#endif
