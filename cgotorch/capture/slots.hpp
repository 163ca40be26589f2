// The running recordings, by the number of their mode.
#pragma once

#include <cstdint>

namespace gt::capture {

class Recorder;

// Reserves a number, or returns 0 if all are in use.
uint32_t take_number();
// Frees a number. Nothing is recorded under it afterwards.
void give_back(uint32_t number);
// Sets the recorder of the threads in the mode with that number; nullptr for none.
void enter(uint32_t number, Recorder* r);

// The most recordings that can run at the same time.
constexpr uint32_t kRecordings = 63;

}  // namespace gt::capture
