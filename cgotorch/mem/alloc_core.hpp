// The CPU allocator without libtorch: what the stress test drives directly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "alloc.h"

namespace gt::alloc {

// n bytes aligned to 64, to a page above 32 KiB; n > 0. When the system or the
// limit refuses, everything cached is given back and the request is made once
// more. Null if that fails too.
void* allocate(size_t n) noexcept;

// Returns the size that p was allocated with. Any thread may free.
size_t deallocate(void* p) noexcept;

// The size that p, which is alive, was allocated with.
size_t requested_size(const void* p) noexcept;

// The figures that an error or the profiler reports.
struct Figures {
  int64_t allocated, reserved, limit;
};
Figures figures() noexcept;

// With GOTORCH_CPU_ALLOCATOR=system: counts blocks that libtorch's own
// allocator provides. header is what the caller adds in front of each block.
void count_system_alloc(size_t n, size_t header) noexcept;
void count_system_free(size_t n, size_t header) noexcept;
// Whether n more bytes, header included, stay within the limit; counts a refusal
// if not. What was admitted counts against the limit until count_system_alloc has
// it, or system_dismiss.
bool system_admits(size_t n) noexcept;
void system_dismiss(size_t n) noexcept;
void count_system_oom() noexcept;
// Takes back the count of a failure, of either allocator.
void forgive_oom() noexcept;
void use_system() noexcept;
bool is_system() noexcept;

}  // namespace gt::alloc
