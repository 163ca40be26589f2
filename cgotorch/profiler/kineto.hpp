// What CUDA devices do, recorded by libtorch's Kineto; see kineto.cpp.
#pragma once

#include <string>
#include <vector>

#include "profiler.h"

namespace gt::prof {

// What Kineto recorded, with times of gt_prof_clock. texts has two strings for each event,
// its name and Kineto's facts, each with a zero at its end.
struct DeviceEvents {
  std::vector<gt_prof_device_event> events;
  std::string texts;
  bool silent = false;  // nothing was reported though devices were in use, not even the wait for them
};

// Begins; throws c10::Error where CUPTI does not record. One recording is made at a time.
void kineto_start();
// Waits for all devices in use and ends what kineto_start began. Without one it does nothing.
DeviceEvents kineto_stop();

}  // namespace gt::prof
