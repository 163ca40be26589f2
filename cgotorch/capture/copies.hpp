// Copies of arguments, for testing operators while a graph is laid out.
#pragma once

#include "graph.hpp"

namespace gt::capture {

// Fills memory that the recording has freed with a pattern, or with zeros if the values may be indices.
at::Tensor copied(const at::Tensor& t);
std::vector<IValue> copied(const std::vector<IValue>& values);

// Whether two tensors have the same bits and layout.
bool same_bits(const at::Tensor& a, const at::Tensor& b);

}  // namespace gt::capture
