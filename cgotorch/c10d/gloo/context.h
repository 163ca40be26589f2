// See README.md.
#pragma once

#include "transport/pair.h"

#include <chrono>
#include <memory>

namespace gloo {
class Context {
 public:
  std::unique_ptr<transport::Pair>& getPair(int rank);
  void setTimeout(std::chrono::milliseconds timeout);
};
}  // namespace gloo
