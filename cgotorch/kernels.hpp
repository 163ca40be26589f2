// Shared by kernels that replace libtorch's own in the dispatcher.
#pragma once

#include <c10/util/Exception.h>
#include <torch/library.h>

#include <string>
#include <unordered_set>

namespace gt {

// These say whether dimensions are named. Newer versions of libtorch have no named
// dimensions.
template <class X>
bool named(const X& x) {
  if constexpr (requires { x.has_names(); }) {
    return x.has_names();
  } else {
    return false;
  }
}

// Suppresses libtorch's warning that one kernel replaces another, because that is
// intended.
struct Silent : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

// The names of operators for which gotorch has a CPU kernel, such as "aten::stack".
// Complete before main begins.
inline std::unordered_set<std::string>& with_own_kernel() {
  static auto* names = new std::unordered_set<std::string>;
  return *names;
}

// Registers kernel as the CPU kernel of the aten operator called name, until the process
// ends. The dispatcher reports file as the kernel's source. The caller must keep the
// result reachable, or a leak sanitizer reports it.
template <class Kernel>
torch::Library* take_place(const char* file, const char* name, Kernel kernel) {
  Silent silent;
  c10::WarningUtils::WarningHandlerGuard guard(&silent);
  auto* library = new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, file, 0);
  library->impl(name, kernel);
  with_own_kernel().insert(std::string("aten::") + name);
  return library;
}

}  // namespace gt
