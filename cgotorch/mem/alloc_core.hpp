// The CPU allocator without libtorch, so that the stress test can use it alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "alloc.h"

namespace gt::alloc {

// Allocates n > 0 bytes, aligned to 64 bytes, or to a page if n is above 32 KiB. If the system
// or the limit refuses, it purges the cache and tries once more. Returns null if that fails too.
void* allocate(size_t n) noexcept;

// Frees p and returns the size that was requested for it. Any thread may free any block.
size_t deallocate(void* p) noexcept;

// Returns the size that was requested for p, which must be live.
size_t requested_size(const void* p) noexcept;

// The numbers that error messages and profiles contain.
struct Figures {
  int64_t allocated, reserved, limit;
};
Figures figures() noexcept;

// Counts blocks of libtorch's own allocator (GOTORCH_CPU_ALLOCATOR=system). header is the size of
// the header that the caller puts in front of each block.
void count_system_alloc(size_t n, size_t header) noexcept;
void count_system_free(size_t n, size_t header) noexcept;
// Whether n more bytes, including the header, stay within the limit. If so, they count
// toward the limit until count_system_alloc or system_dismiss. If not, the refusal is
// counted.
bool system_admits(size_t n) noexcept;
void system_dismiss(size_t n) noexcept;
void count_system_oom() noexcept;
// Subtracts one failure from the count of failures. Works with both allocators.
void forgive_oom() noexcept;
void use_system() noexcept;
bool is_system() noexcept;

}  // namespace gt::alloc
