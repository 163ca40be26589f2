// Records the work of CUDA devices with libtorch's Kineto; see kineto.cpp.
#pragma once

#include <string>
#include <vector>

#include "profiler.h"

namespace gt::prof {

// Kineto's recording, with times of the clock gt_prof_clock. texts contains two strings
// for each event: its name and Kineto's metadata. Each ends in a zero byte.
struct DeviceEvents {
  std::vector<gt_prof_device_event> events;
  std::string texts;
  bool silent = false;  // devices were in use, but Kineto did not even report the final wait for them
};

// Starts recording. Throws c10::Error if CUPTI cannot record. Only one recording may run at a time.
void kineto_start();
// Waits for all devices in use and ends the recording. Does nothing if there is no recording.
DeviceEvents kineto_stop();

}  // namespace gt::prof
