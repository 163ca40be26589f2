// The C library's heap. It contains what libtorch allocates besides tensors: graph nodes,
// shapes, kernel caches, scratch memory.
//
// These functions may be called from any thread, keep no Go memory and never call Go.
#ifndef GOTORCH_CHEAP_H
#define GOTORCH_CHEAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int64_t in_use;  // bytes handed out by malloc, including those in the caches of threads
  int64_t free;    // free bytes of malloc, including pages returned to the system
  int64_t scratch; // bytes of in_use that MKL keeps as buffers for its next call
} gt_mem_cheap;

// Fills *out. All fields are 0 if the C library has no statistics, as with musl.
// scratch is 0 if libtorch was built without MKL. Takes the lock of each malloc
// arena and walks its lists of free blocks, which takes about 0.2 us per block.
void gt_mem_cheap_read(gt_mem_cheap* out);

// Frees the MKL buffers that no call is using, then returns malloc's free memory to the system. It
// takes between a few tenths of a millisecond and several milliseconds. MKL's next calls then
// allocate their buffers again.
void gt_mem_cheap_trim(void);

// Returns malloc's free memory to the system. Does not free MKL's buffers.
void gt_mem_malloc_trim(void);

#ifdef __cplusplus
}
#endif
#endif
