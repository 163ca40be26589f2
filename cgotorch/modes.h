// The less common modes of a goroutine: autocast, the current CUDA device and streams, the memory
// pool in use, the recording of a step. Each combination that a program uses is a row of one table,
// which only grows. Bits 48 to 63 of a gt_ctx are the row's number. Row 0 is the state of a new
// thread. See abi.h for the rules.
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

// Zero in a field means the value of a new thread, so equal rows have equal bytes. Streams are in
// ascending order of devices, without default streams, and entries from n_streams on are 0.
typedef struct {
  uint8_t autocast_cpu;   // whether autocast is on, by type of device
  uint8_t autocast_cuda;
  uint8_t dtype_cpu;      // the dtype that autocast casts to, as at::ScalarType + 1; 0 is libtorch's default
  uint8_t dtype_cuda;
  uint8_t no_cache;       // do not keep casts of weights
  uint8_t device;         // the current CUDA device
  uint16_t n_streams;
  uint32_t pool;          // the current use of a memory pool, see gt_cuda_pool_begin
  uint32_t capture;       // the recording that the goroutine takes part in, see capture/capture.h
  gt_mode_stream streams[GT_MODES_STREAMS];  // the current streams of devices
} gt_modes;

// Writes the number of the row equal to *modes, and adds the row if necessary. The table has room
// for 65,536 rows. If it is full, the error is GT_ERR_VALUE.
uintptr_t gt_modes_intern(const gt_modes* modes, uint32_t* out_row);
// Writes a row, by a number from gt_modes_intern or from a callback.
void gt_modes_row(uint32_t row, gt_modes* out);
// The number of rows, including row 0.
uint32_t gt_modes_rows(void);

// Clears autocast's process-wide cache of casts of weights.
uintptr_t gt_autocast_clear_cache(void);

#ifdef __cplusplus
}
#endif
#endif
