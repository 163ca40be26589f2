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

// Memory in two parts. The second exists only if bytes is larger than border. With one part, the
// allocator's rounding would waste an eighth in the worst case. Each block is in one part.
struct Layout {
  std::vector<Block> blocks;
  size_t bytes = 0, border = SIZE_MAX;
  size_t large = 0;  // blocks of at least that size are not in the layout

  size_t first() const { return std::min(bytes, border); }
  size_t second() const { return bytes - first(); }
};

// Places the blocks that a replay should not allocate individually, given the number of calls.
Layout lay_out(const std::vector<Block>& blocks, size_t calls);

}  // namespace gt::capture
