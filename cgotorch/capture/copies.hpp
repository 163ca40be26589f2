// Copies of arguments, for testing operators while a graph is laid out.
#pragma once

#include "graph.hpp"

namespace gt::capture {

// Copies. If the recording has freed the memory, the copy has a pattern, or zeros if it may hold indices.
at::Tensor copied(const at::Tensor& t);
std::vector<IValue> copied(const std::vector<IValue>& values);

// Whether two tensors have the same bits and layout.
bool same_bits(const at::Tensor& a, const at::Tensor& b);

}  // namespace gt::capture
