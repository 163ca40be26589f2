// Estimates the floating-point operations of operators with libtorch's formulas.
#pragma once

#include <ATen/record_function.h>

#include <cstdint>

namespace gt::prof {

// Returns the number of floating-point operations of a call by libtorch's formulas. They
// cover matrix products, convolutions, additions and multiplications; everything else
// counts as 0.
int64_t estimate(const at::RecordFunction& fn) noexcept;

}  // namespace gt::prof
