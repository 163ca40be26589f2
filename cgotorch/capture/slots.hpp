// A table of the running recordings. A recording's number is its mode.
#pragma once

#include <cstdint>

namespace gt::capture {

class Recorder;

// Reserves and returns a number, or returns 0 if all are in use.
uint32_t take_number();
// Frees a number. Nothing is recorded under it afterwards.
void give_back(uint32_t number);
// Sets the recorder for threads in the mode with this number. nullptr removes it.
void enter(uint32_t number, Recorder* r);

// How many recordings can exist at the same time.
constexpr uint32_t kRecordings = 63;

}  // namespace gt::capture
