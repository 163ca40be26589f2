// A separate file, because torch/csrc/profiler/util.h takes longer to compile than the rest.
#include "flops.hpp"

#include <torch/csrc/profiler/util.h>

#include <cstring>

namespace gt::prof {

int64_t estimate(const at::RecordFunction& fn) noexcept try {
  // Only operators have an estimate. libtorch would warn about the arguments of other functions
  // that it reports, such as nodes of the graph.
  if (std::strncmp(fn.name(), "aten::", 6)) return 0;
  const auto args = torch::profiler::impl::saveExtraArgs(fn);
  return args.empty() ? 0 : int64_t(torch::profiler::impl::computeFlops(fn.name(), args));
} catch (...) {
  return 0;
}

}  // namespace gt::prof
