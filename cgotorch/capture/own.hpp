// Calls of small operators without what libtorch does around their kernels: it looks at shapes, strides
// and dtypes anew each time, which for small tensors takes longer than the numbers. The results are the
// operators' to the bit.
#pragma once

#include "direct.hpp"
#include "graph.hpp"

namespace gt::capture {

// Whether products of float32 are of that precision at present. Where they are not, libtorch takes other ways.
bool exact_products();

// The product of matrices of a call of mm or addmm that is given its result, by the same function of the same
// library; nothing where that is not known, or has been tried and came to something else.
std::unique_ptr<Direct> own_product(const Call& c);

// An operator on each element by itself that is given its result; nothing where there is none such.
std::unique_ptr<Direct> own_elements(const Call& c);

}  // namespace gt::capture
