// Where the results of a step lie in memory.
#pragma once

#include <c10/core/StorageImpl.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gt::capture {

inline constexpr size_t kAlign = 64;

// A result within the step, and when it lives: from one call to another.
struct Block {
  c10::StorageImpl* s;
  size_t first, last, size, at = 0;
  bool swapped;
};

// Memory in two parts, of which the second is there only if all is larger than the first: in one, what
// the allocator loses by rounding would be an eighth at worst. No block lies in both.
struct Layout {
  std::vector<Block> blocks;
  size_t bytes = 0, border = SIZE_MAX;
  size_t large = 0;  // blocks of that size are not in it

  size_t first() const { return std::min(bytes, border); }
  size_t second() const { return bytes - first(); }
};

// Places the blocks, of so many calls, that a replay had better not allocate one by one.
Layout lay_out(const std::vector<Block>& blocks, size_t calls);

}  // namespace gt::capture
