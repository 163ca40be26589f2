#pragma once

#include <cstdint>

namespace gt {

// Excludes from the count of live nodes the next n nodes that this thread creates,
// because deleteNode does not free them. A later call replaces n.
void uncounted_nodes(int64_t n);

}  // namespace gt
