// The history of the CUDA allocators and a copy of their state.
//
// libtorch's allocators record events. gotorch adds the Go stack that caused each event,
// as the stack's number in the gt_ctx.
#ifndef GOTORCH_CUDA_HISTORY_H
#define GOTORCH_CUDA_HISTORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Writes the numbers of the calling thread's Go stacks, like gt_history_place of package mem.
typedef void (*gt_place_fn)(uint32_t* stack, uint32_t* forward);

typedef struct {
  uint64_t addr;  // the address; for GT_CUDA_OOM, the number of free bytes
  int64_t size, time_us;
  uint64_t stream;
  uint32_t stack, forward;
  int32_t device, action;
} gt_cuda_event;

// The actions, with the numbers of libtorch's enumeration.
enum {
  GT_CUDA_ALLOC,
  GT_CUDA_FREE_REQUESTED,
  GT_CUDA_FREE_COMPLETED,
  GT_CUDA_SEGMENT_ALLOC,
  GT_CUDA_SEGMENT_FREE,
  GT_CUDA_SEGMENT_MAP,
  GT_CUDA_SEGMENT_UNMAP,
  GT_CUDA_SNAPSHOT,
  GT_CUDA_OOM,
};

typedef struct {
  uint64_t addr;
  int64_t size, allocated, active, requested;
  uint64_t stream, pool_a, pool_b;
  int64_t first_block, blocks;  // index of the first block in gt_cuda_view.blocks, and their number
  uint32_t stack, forward;
  int32_t device, large, expandable, unused;
} gt_cuda_segment;

typedef struct {
  uint64_t addr;
  int64_t size, requested;
  uint32_t stack, forward;
  int32_t allocated, active;
} gt_cuda_block;

typedef struct {
  char* conf;  // PYTORCH_CUDA_ALLOC_CONF, malloc'd
  int64_t max_split_size, pinned_num_register_threads;
  double garbage_collection_threshold;
  int32_t expandable_segments, release_lock, pinned_use_host_register, capture_reuse;
  int64_t roundup[16];  // divisions for sizes of 1, 2, 4 ... 32768 MiB
} gt_cuda_settings;

uintptr_t gt_cuda_settings_read(gt_cuda_settings* out);

// Settings are strings such as PYTORCH_CUDA_ALLOC_CONF. The constants say which library
// accepts a key:
enum {
  GT_CUDA_KEY_UNKNOWN,
  GT_CUDA_KEY_COMMON,  // key known to libc10, without the CUDA library
  GT_CUDA_KEY_CUDA,    // key known only to the CUDA library
};
uintptr_t gt_cuda_settings_key(const char* key, int* out);
// Whether the CUDA library is open, so that settings can be passed to it. CUDA need not
// be initialized.
int gt_cuda_settings_ready(void);
uintptr_t gt_cuda_settings_apply(const char* conf);
// Makes gt_cuda_load apply conf, after the strings of earlier calls. Must not run at the
// same time as gt_cuda_load.
uintptr_t gt_cuda_settings_keep(const char* conf);
// Writes two malloc'd strings. Applied in this order, they restore the current settings,
// except settings that libtorch does not report.
uintptr_t gt_cuda_settings_save(char** out_values, char** out_conf);

// All arrays are malloc'd. The caller owns them and frees them together.
typedef struct {
  gt_cuda_segment* segments;
  gt_cuda_block* blocks;
  gt_cuda_event* events;
  int64_t n_segments, n_blocks, n_events;
  gt_cuda_settings settings;
} gt_cuda_view;

uintptr_t gt_cuda_view_take(gt_cuda_view* out, int with_events);
void gt_cuda_view_free(gt_cuda_view* v);

// Records the newest max_entries events of every device, or all for 0. context is one of
// GT_CONTEXT_* of package mem. place may be null.
uintptr_t gt_cuda_record(int on, int context, int64_t max_entries, int clear, gt_place_fn place);

#ifdef __cplusplus
}
#endif
#endif
