#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "graph.hpp"

#include <ATen/ops/copy_ops.h>

#include <algorithm>

namespace gt::capture {

bool Graph::writes(at::TensorList ts) const {
  return std::any_of(ts.begin(), ts.end(),
                     [&](const at::Tensor& t) { return t.has_storage() && written_outside_.count(storage(t)); });
}

void Graph::feed(at::TensorList inputs, at::TensorList sources) const {
  const at::NoGradGuard none;
  std::vector<at::Tensor> from(sources.begin(), sources.end());
  for (size_t i = 0; i < from.size(); i++) {
    if (from[i].is_same(inputs[i]) || !from[i].has_storage()) continue;
    // A replay writes to the memory of results, and the loop below writes to the memory
    // of inputs. Copy the sources that share either.
    const auto shares = [&](const at::Tensor& t) { return t.has_storage() && storage(t) == storage(from[i]); };
    if (made_.count(storage(from[i])) || std::any_of(inputs.begin(), inputs.end(), shares)) from[i] = from[i].clone();
  }
  for (size_t i = 0; i < from.size(); i++) {
    at::Tensor input = inputs[i];
    if (!from[i].is_same(input)) at::_ops::copy_::call(input, from[i], false);
  }
}

}  // namespace gt::capture

#endif
