// A file of its own: the header takes the compiler longer than all the rest.
#include "flops.hpp"

#include <torch/csrc/profiler/util.h>

#include <cstring>

namespace gt::prof {

int64_t estimate(const at::RecordFunction& fn) noexcept try {
  // What else is observed, such as nodes of the graph, is no operator, and libtorch warns
  // of arguments that it did not expect.
  if (std::strncmp(fn.name(), "aten::", 6)) return 0;
  const auto args = torch::profiler::impl::saveExtraArgs(fn);
  return args.empty() ? 0 : int64_t(torch::profiler::impl::computeFlops(fn.name(), args));
} catch (...) {
  return 0;
}

}  // namespace gt::prof
