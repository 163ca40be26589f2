// What kernels share that take the place of libtorch's own in the dispatcher.
#pragma once

#include <c10/util/Exception.h>
#include <torch/library.h>

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

// Has add register kernels of the CPU; file is said to whoever asks the dispatcher. The
// registration stays: it is needed until the process ends. The caller keeps the result
// where a leak sanitizer looks for it.
inline torch::Library* take_place(const char* file, void (*add)(torch::Library&)) {
  Silent silent;
  c10::WarningUtils::WarningHandlerGuard guard(&silent);
  auto* library = new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, file, 0);
  add(*library);
  return library;
}

}  // namespace gt
