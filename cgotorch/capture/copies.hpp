// Copies of arguments, on which operators are tried while a graph is laid out.
#pragma once

#include "graph.hpp"

namespace gt::capture {

// Numbers of a pattern where the recording has freed the memory, zeros where they may be places.
at::Tensor copied(const at::Tensor& t);
std::vector<IValue> copied(const std::vector<IValue>& values);

// Whether two tensors have the same bits, laid out alike.
bool same_bits(const at::Tensor& a, const at::Tensor& b);

}  // namespace gt::capture
