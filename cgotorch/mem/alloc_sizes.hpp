// Computes the sizes of blocks, without the allocator, for code that plans memory.
#pragma once

#include <bit>
#include <cstddef>

#include "alloc_pagemap.hpp"

namespace gt::alloc {

inline constexpr size_t kMaxSlot = 32 << 10;
inline constexpr int kClasses = 56;

// Returns the size class for n bytes. Sizes are multiples of 64: eight up to 512, then eight for
// each doubling. So at most an eighth of a block is wasted.
constexpr int class_of(size_t n) {
  if (n <= 512) return int((n - 1) >> 6);
  const int e = 63 - std::countl_zero(n - 1);
  return 8 + (e - 9) * 8 + int((n - 1) >> (e - 3)) - 8;
}
constexpr size_t class_size(int c) {
  if (c < 8) return size_t(c + 1) << 6;
  const int e = 9 + (c - 8) / 8;
  return (size_t(8 + (c - 8) % 8) + 1) << (e - 3);
}
static_assert(class_of(512) == 7 && class_of(513) == 8 && class_size(8) == 576);
static_assert(class_of(kMaxSlot) == kClasses - 1 && class_size(kClasses - 1) == kMaxSlot);

// Returns the size of the block that an allocation of n bytes gets.
constexpr size_t taken(size_t n) {
  if (n == 0) return 0;
  return n <= kMaxSlot ? class_size(class_of(n)) : (n + kPage - 1) / kPage * kPage;
}
static_assert(taken(512) == 512 && taken(31872) == 32768 && taken(kMaxSlot + 1) == kMaxSlot + kPage);

}  // namespace gt::alloc
