// Loops and sections whose iterations are divided while they run: each thread takes the
// next iterations.
#pragma once

namespace gt::team {

struct LoopOf {
  long from, to, step, chunk;
};

// Makes the calling thread enter the next loop of its region.
void enter_loop(const LoopOf& loop);

// Returns n sections as a loop over their numbers, from 1 to n.
inline LoopOf sections_loop(unsigned n) { return {1, static_cast<long>(n) + 1, 1, 1}; }

}  // namespace gt::team
