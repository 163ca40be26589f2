// The recordings under way, by the number of their mode.
#pragma once

#include <cstdint>

namespace gt::capture {

class Recorder;

// Takes a number, 0 where all are taken.
uint32_t take_number();
// Gives one back; nothing is recorded under it then.
void give_back(uint32_t number);
// Has the threads in that mode be recorded, by nobody for nullptr.
void enter(uint32_t number, Recorder* r);

// How many recordings there can be at a time.
constexpr uint32_t kRecordings = 63;

}  // namespace gt::capture
