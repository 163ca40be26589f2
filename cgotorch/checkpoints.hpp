// Shared by the packages for checkpoints and for functional transforms, which are linked
// separately. Neither works within the other.
#pragma once

namespace gt {

// The number of checkpoints whose functions the calling thread is running.
inline thread_local int tl_checkpoints = 0;

}  // namespace gt
