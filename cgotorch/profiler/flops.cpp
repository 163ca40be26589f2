// A separate file, because this header takes longer to compile than the rest of the package.
#include "flops.hpp"

#include <torch/csrc/profiler/util.h>

#include <cstring>

namespace gt::prof {

int64_t estimate(const at::RecordFunction& fn) noexcept try {
  // Other observed functions, such as nodes of the graph, are not operators, and libtorch would
  // warn about unexpected arguments.
  if (std::strncmp(fn.name(), "aten::", 6)) return 0;
  const auto args = torch::profiler::impl::saveExtraArgs(fn);
  return args.empty() ? 0 : int64_t(torch::profiler::impl::computeFlops(fn.name(), args));
} catch (...) {
  return 0;
}

}  // namespace gt::prof
