// gotorch's kernels for small operators. For small tensors, libtorch's checks of shapes,
// strides and dtypes take longer than the computation. The results are bitwise equal to
// libtorch's.
#pragma once

#include "direct.hpp"
#include "graph.hpp"

namespace gt::capture {

// Whether float32 products currently have full precision. If not, libtorch multiplies
// with other functions.
bool exact_products();

// Returns a call that computes the product of mm or addmm into a given result, with the
// BLAS function that libtorch uses. Returns null if that function is unknown, or if the
// result of a test call differs from libtorch's.
std::unique_ptr<Direct> own_product(const Call& c);

// Returns a call that computes an elementwise operator into a given result, or null if c
// is not supported.
std::unique_ptr<Direct> own_elements(const Call& c);

}  // namespace gt::capture
