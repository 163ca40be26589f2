// The C library's heap, which holds what libtorch has beside tensors: nodes of
// graphs, shapes, caches of kernels, scratch space.
//
// Both functions may be called from any thread, hold no Go memory and never call
// back into Go.
#ifndef GOTORCH_CHEAP_H
#define GOTORCH_CHEAP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int64_t in_use;  // handed out by malloc; what a thread keeps for itself counts too
  int64_t free;    // of what malloc has from the system, pages given back included
  int64_t scratch; // of in_use, buffers that MKL keeps for its next call
} gt_mem_cheap;

// Fills *out. All are 0 where the C library does not tell, as musl; scratch is 0
// where libtorch was built without MKL. It takes each arena's lock and walks its
// lists of free blocks, some 0.2 us each.
void gt_mem_cheap_read(gt_mem_cheap* out);

// Frees MKL's buffers that no call uses now, then returns what malloc has free
// to the system. It takes from some tenths of a millisecond to milliseconds, and
// MKL's next calls allocate their buffers anew.
void gt_mem_cheap_trim(void);

// Returns what malloc has free to the system, and leaves MKL's buffers alone.
void gt_mem_malloc_trim(void);

#ifdef __cplusplus
}
#endif
#endif
