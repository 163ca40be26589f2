// The layout of a step's results in memory.
#pragma once

#include <c10/core/StorageImpl.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gt::capture {

inline constexpr size_t kAlign = 64;

// A result within the step, and its lifetime: from one call to another.
struct Block {
  c10::StorageImpl* s;
  size_t first, last, size, at = 0;
  bool swapped;
};

// Memory in two parts, of which the second exists only if the total is larger than the first. In one part,
// the allocator's rounding would waste an eighth in the worst case. No block is in both.
struct Layout {
  std::vector<Block> blocks;
  size_t bytes = 0, border = SIZE_MAX;
  size_t large = 0;  // blocks of that size are not in it

  size_t first() const { return std::min(bytes, border); }
  size_t second() const { return bytes - first(); }
};

// Places the blocks that a replay should not allocate individually, given the number of calls.
Layout lay_out(const std::vector<Block>& blocks, size_t calls);

}  // namespace gt::capture
