// The rarer modes of a goroutine: autocast, the current CUDA device and streams, the pool
// of memory in use, the recording of a step. Each combination of them that a program uses is a row of one table, which only grows, and
// its number travels in bits 48 to 63 of a gt_ctx. Row 0 is the state of a new thread.
// See abi.h for the rules.
#ifndef GOTORCH_MODES_H
#define GOTORCH_MODES_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GT_MODES_STREAMS = 16 };

typedef struct {
  int64_t id;
  int64_t device;
} gt_mode_stream;

// A column that is 0 is as on a new thread, so equal rows have equal bytes. Streams are
// in ascending order of their devices, the default stream of a device is left out, and
// what lies behind n_streams is 0.
typedef struct {
  uint8_t autocast_cpu;   // whether autocast is on, by type of device
  uint8_t autocast_cuda;
  uint8_t dtype_cpu;      // at::ScalarType + 1 that it casts to; 0 is libtorch's default
  uint8_t dtype_cuda;
  uint8_t no_cache;       // its casts of weights are not kept
  uint8_t device;         // the current CUDA device
  uint16_t n_streams;
  uint32_t pool;          // the use of a memory pool that it is in, see gt_cuda_pool_begin
  uint32_t capture;       // the recording of a step that it takes part in, see capture/capture.h
  gt_mode_stream streams[GT_MODES_STREAMS];  // the current streams of devices
} gt_modes;

// Writes the number of the row that is equal to *modes, which is added if there is none
// yet. The table has room for 65,536 rows: GT_ERR_VALUE says that it is full.
uintptr_t gt_modes_intern(const gt_modes* modes, uint32_t* out_row);
// Writes a row, whose number gt_modes_intern gave or a callback brought.
void gt_modes_row(uint32_t row, gt_modes* out);
// How many rows there are, row 0 included.
uint32_t gt_modes_rows(void);

// Forgets the casts of weights that autocast keeps for the process.
uintptr_t gt_autocast_clear_cache(void);

#ifdef __cplusplus
}
#endif
#endif
