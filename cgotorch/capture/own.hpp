// Small operators without the work that libtorch does around its kernels: checking shapes, strides
// and dtypes takes longer than the computation for small tensors. The results have the same bits.
#pragma once

#include "direct.hpp"
#include "graph.hpp"

namespace gt::capture {

// Whether float32 products currently have full precision. Otherwise libtorch multiplies with other functions.
bool exact_products();

// The matrix product of a call of mm or addmm with a given result, computed by the same library
// function as in libtorch. Returns nothing if that function is unknown, or if a trial differs from
// libtorch's result.
std::unique_ptr<Direct> own_product(const Call& c);

// An elementwise operator with a given result, or nothing if the call is not supported.
std::unique_ptr<Direct> own_elements(const Call& c);

}  // namespace gt::capture
