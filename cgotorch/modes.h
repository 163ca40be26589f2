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

// A zero field means the value of a new thread. Equal rows have equal bytes: streams are
// in ascending order of devices, without default streams, and entries at n_streams and
// above are 0.
typedef struct {
  uint8_t autocast_cpu;   // whether autocast is on, for each type of device
  uint8_t autocast_cuda;
  uint8_t dtype_cpu;      // the dtype that autocast casts to, as at::ScalarType + 1; 0 is libtorch's default
  uint8_t dtype_cuda;
  uint8_t no_cache;       // whether autocast does not keep casts of weights
  uint8_t device;         // the current CUDA device
  uint16_t n_streams;
  uint32_t pool;          // number of the current pool use, see gt_cuda_pool_begin
  uint32_t capture;       // number of the recording that the goroutine takes part in, see capture/capture.h
  gt_mode_stream streams[GT_MODES_STREAMS];  // the current streams of devices
} gt_modes;

// Writes the number of the row that equals *modes. Adds the row if it is not in the
// table. If the table already has 65,536 rows, the error is GT_ERR_VALUE.
uintptr_t gt_modes_intern(const gt_modes* modes, uint32_t* out_row);
// Writes the row with this number, which must come from gt_modes_intern or a callback.
void gt_modes_row(uint32_t row, gt_modes* out);
// The number of rows, including row 0.
uint32_t gt_modes_rows(void);

// Clears autocast's process-wide cache of weight casts.
uintptr_t gt_autocast_clear_cache(void);

#ifdef __cplusplus
}
#endif
#endif
