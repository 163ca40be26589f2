// Estimates the work of operators with libtorch's formulas.
#pragma once

#include <ATen/record_function.h>

#include <cstdint>

namespace gt::prof {

// Returns the floating-point operations of a call by libtorch's formulas, which cover matrix
// products, convolutions, additions and multiplications; 0 for everything else.
int64_t estimate(const at::RecordFunction& fn) noexcept;

}  // namespace gt::prof
