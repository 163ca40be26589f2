// Shared by the packages checkpoint and functorch, which are linked separately. A checkpoint does
// not work inside a functional transform, nor a transform inside a checkpoint.
#pragma once

namespace gt {

// The number of checkpoints whose functions the calling thread is running.
inline thread_local int tl_checkpoints = 0;

}  // namespace gt
