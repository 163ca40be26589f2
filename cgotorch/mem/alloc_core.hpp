// The CPU allocator without libtorch. The stress test uses only this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "alloc.h"

namespace gt::alloc {

// Allocates n > 0 bytes, aligned to 64 bytes, or to a page if n is above 32 KiB. If the system
// or the limit refuses, it purges the cache and tries once more. Returns null if that fails too.
void* allocate(size_t n) noexcept;

// Returns the size that p was allocated with. Any thread may free.
size_t deallocate(void* p) noexcept;

// Returns the size that p, which must be live, was allocated with.
size_t requested_size(const void* p) noexcept;

// The numbers that an error or a profile reports.
struct Figures {
  int64_t allocated, reserved, limit;
};
Figures figures() noexcept;

// With GOTORCH_CPU_ALLOCATOR=system, counts blocks of libtorch's own allocator. header is the size
// of the caller's header of each block.
void count_system_alloc(size_t n, size_t header) noexcept;
void count_system_free(size_t n, size_t header) noexcept;
// Whether n more bytes, including the header, stay within the limit. If so, they count against the
// limit until count_system_alloc or system_dismiss. If not, the refusal is counted.
bool system_admits(size_t n) noexcept;
void system_dismiss(size_t n) noexcept;
void count_system_oom() noexcept;
// Subtracts one failure from the count, of either allocator.
void forgive_oom() noexcept;
void use_system() noexcept;
bool is_system() noexcept;

}  // namespace gt::alloc
