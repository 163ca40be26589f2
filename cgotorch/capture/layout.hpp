// Decides where the results of a step are placed in memory.
#pragma once

#include <c10/core/StorageImpl.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gt::capture {

inline constexpr size_t kAlign = 64;

// A result of the step. It lives from its first call to its last call.
struct Block {
  c10::StorageImpl* s;
  size_t first, last, size, at = 0;
  bool swapped;
};

// Memory in one or two parts. The second part exists only if bytes is larger than border.
// Two parts waste less: the allocator rounds sizes, which could waste an eighth of a
// single part. No block is in both parts.
struct Layout {
  std::vector<Block> blocks;
  size_t bytes = 0, border = SIZE_MAX;
  size_t large = 0;  // blocks of at least this many bytes are not in the layout

  size_t first_bytes() const { return std::min(bytes, border); }
  size_t second_bytes() const { return bytes - first_bytes(); }
};

// Places the blocks that a replay does not allocate separately. calls is the number of
// calls in a step.
Layout lay_out(const std::vector<Block>& blocks, size_t calls);

}  // namespace gt::capture
