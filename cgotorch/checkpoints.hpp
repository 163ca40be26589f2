// What the packages of checkpoints and of functional transforms know of each other: they
// are linked separately, and neither works within the other.
#pragma once

namespace gt {

// How many checkpoints of the calling thread run their functions.
inline thread_local int tl_checkpoints = 0;

}  // namespace gt
