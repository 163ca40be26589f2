// The CPU allocator's history: who allocated what when, and what lives where.
//
// Recording calls neither Go nor libtorch's operators. Where an allocation came
// from is a number: that of the Go stack which the current crossing carries in
// its context word.
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
  uint64_t addr;     // with OOM: the bytes that were still to be had
  int64_t size;      // requested bytes; a segment's whole size
  int64_t time_us;   // since 1970
  uint32_t stack;    // the Go stack, 0 = unknown
  uint32_t forward;  // inside a backward pass: that of the operator it derives
  uint32_t thread;   // small numbers, in the order of first allocation
  uint32_t action;
} gt_event;

typedef struct {
  uint64_t addr;
  int64_t size, allocated, requested;
  int64_t first_block, blocks;  // a range of gt_heap_view.blocks
  int32_t large;                // 0: of the small pool
} gt_segment;

typedef struct {
  uint64_t addr;
  int64_t size, requested;  // requested is 0 in a free block
  int64_t time_us;          // of the allocation, 0 if it was not recorded
  uint32_t stack, forward;
  int32_t used;
} gt_block;

// All arrays are malloc'd and the caller's, to be given back together with
// gt_heap_view_free.
typedef struct {
  gt_segment* segments;
  gt_block* blocks;
  gt_event* events;
  int64_t n_segments, n_blocks, n_events;
  int64_t lost;  // events that were overwritten or had no memory
} gt_heap_view;

// What is alive, summed by where it came from.
typedef struct {
  uint32_t stack, forward;
  int64_t bytes, count;
} gt_site;

// Starts recording, or changes what is recorded. At most max_entries events are
// kept, the newest; 0 is no bound. clear forgets earlier events.
void gt_history_start(int mode, int context, int64_t max_entries, int clear);
// Stops and forgets everything.
void gt_history_stop(void);
// Says whether the histories of other devices want to know where a backward pass
// is; see gt_history_place.
void gt_history_follow(int on);
int gt_history_mode(void);
// How many events are kept, and what they take.
int64_t gt_history_events(int64_t* bytes);

// Has fn called with the address, the change and the device, -1 for the CPU, of every
// block that is handed out and given back, on the thread that does it, beside the history;
// null ends that. fn may not use the allocator, and may still be running on another thread
// when this returns.
typedef void (*gt_mem_watcher)(uintptr_t addr, int64_t change, int device);
void gt_mem_watch(gt_mem_watcher fn);
// For the allocators of other devices: tells the watcher, if there is one, of a block.
void gt_mem_watched(uintptr_t addr, int64_t change, int device);

// Copies the heap's blocks and, if asked, the events. Every allocation waits
// meanwhile; one that has its block already may be noted in the events later than
// the block is seen, and a free earlier. Returns 0 without memory for it.
int gt_heap_view_take(gt_heap_view* out, int with_events);
void gt_heap_view_free(gt_heap_view* v);

// Fills out with up to cap sites that hold most, and returns how many there
// were in all. Nothing is known while nothing is recorded: 0.
int64_t gt_history_sites(gt_site* out, int64_t cap);

// Where the calling thread is: the stack of the crossing and, inside a backward
// pass, that of the operator it derives. For the histories of other devices.
void gt_history_place(uint32_t* stack, uint32_t* forward);

#ifdef __cplusplus
}
#endif
#endif
