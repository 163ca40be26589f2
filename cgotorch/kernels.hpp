// What kernels share that take the place of libtorch's own in the dispatcher.
#pragma once

#include <c10/util/Exception.h>
#include <torch/library.h>

#include <string>
#include <unordered_set>

namespace gt {

// named tells whether dimensions have names, which newer versions do not know.
template <class X>
bool named(const X& x) {
  if constexpr (requires { x.has_names(); }) {
    return x.has_names();
  } else {
    return false;
  }
}

// libtorch warns of a kernel that takes the place of another, which is meant here.
struct Silent : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

// The operators whose kernel of the CPU is ours, such as "aten::stack". They are complete before main begins.
inline std::unordered_set<std::string>& with_own_kernel() {
  static auto* names = new std::unordered_set<std::string>;
  return *names;
}

// Registers kernel as the CPU's for the operator name of aten; the dispatcher names file as its source. The
// registration lasts until the process ends. The caller keeps the result where a leak sanitizer looks for it.
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
