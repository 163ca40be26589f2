#pragma once

#include <cstdint>

namespace gt {

// The next n nodes that this thread makes are not counted among those that are alive, since
// they end otherwise than through deleteNode. It takes the place of what was said before.
void uncounted_nodes(int64_t n);

}  // namespace gt
