// Copies arguments, to test operators with them while a graph is being laid out.
#pragma once

#include "graph.hpp"

namespace gt::capture {

// Copies t. If the recording has freed the memory of t, the copy gets a pattern, or zeros
// if t may hold indices.
at::Tensor copied(const at::Tensor& t);
std::vector<IValue> copied(const std::vector<IValue>& values);

// Whether two tensors have the same bits and layout.
bool same_bits(const at::Tensor& a, const at::Tensor& b);

}  // namespace gt::capture
