// Calls of small operators without libtorch's work around their kernels: it checks shapes, strides and dtypes
// each time, which for small tensors takes longer than the computation. The results are equal to the bit.
#pragma once

#include "direct.hpp"
#include "graph.hpp"

namespace gt::capture {

// Whether float32 products currently have that precision. Otherwise libtorch uses other code.
bool exact_products();

// The matrix product of a call of mm or addmm with a given result, by the same function of the same library.
// Nothing if that is unknown, or was tried and gave another result.
std::unique_ptr<Direct> own_product(const Call& c);

// An elementwise operator with a given result, or nothing if there is none.
std::unique_ptr<Direct> own_elements(const Call& c);

}  // namespace gt::capture
