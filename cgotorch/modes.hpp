// The C++ side of modes.h, for packages of the shim that are linked separately.
#pragma once

#include <atomic>
#include <cstdint>

namespace gt {

// How the CUDA columns of a row are read and applied, on the calling thread.
// cgotorch/cuda sets these once its library is open; until then every thread is on
// device 0, on default streams and in no pool. All but devices throw.
struct DeviceModes {
  int (*devices)();
  int (*device)();
  // Never makes a context on a device that has none: row 0 means device 0, which a
  // program may not use.
  void (*set_device)(int device);
  int64_t (*stream)(int device);  // its id; 0 is the default stream
  void (*set_stream)(int device, int64_t id);
  uint32_t (*pool)();  // the use of a memory pool that the thread is in, 0 for none
  void (*set_pool)(uint32_t use);
};
inline std::atomic<const DeviceModes*> device_modes{nullptr};

}  // namespace gt
