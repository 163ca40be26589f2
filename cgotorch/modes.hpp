// The interface of modes.h for C++ packages that are linked separately.
#pragma once

#include <atomic>
#include <cstdint>

namespace gt {

// Functions that read and set the CUDA fields of a row on the calling thread.
// cgotorch/cuda sets the pointer once its library is open. Until then every thread is on
// device 0, on default streams and in no pool. All functions except devices may throw.
struct DeviceModes {
  int (*devices)();
  int (*device)();
  // Must not create a context on a device that has none: row 0 means device 0, which the program
  // may never use.
  void (*set_device)(int device);
  int64_t (*stream)(int device);  // returns the stream's id; 0 is the default stream
  void (*set_stream)(int device, int64_t id);
  uint32_t (*pool)();  // returns the number of the thread's current pool use, 0 for none
  void (*set_pool)(uint32_t use);
};
inline std::atomic<const DeviceModes*> device_modes{nullptr};

}  // namespace gt
