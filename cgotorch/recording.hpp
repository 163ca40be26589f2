// What the shim does while the calling thread records a program: a trace of TorchScript, or an
// exported program (export/record.cpp).
#pragma once

#include <ATen/TracerMode.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKey.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <atomic>

namespace gt {

// A dispatch key above autograd. libtorch registers nothing for it. The thread that records an
// exported program includes this key, and the recorder is its fallback kernel.
constexpr auto kExportKey = c10::DispatchKey::DeferredInit;

inline bool records_program() {
  return at::tracer::impl::is_dispatch_enabled() ||
         c10::impl::tls_is_dispatch_key_included(kExportKey);
}

// Tells the recorder of an exported program that Go reads the values of t, which the program
// cannot do. Throws if the program computes t. The recorder sets this pointer once.
inline std::atomic<void (*)(const at::Tensor& t)> watch_reads{nullptr};

inline void not_in_program(const at::Tensor& t) {
  if (c10::impl::tls_is_dispatch_key_included(kExportKey)) watch_reads.load()(t);
}

// While it exists, this thread's operators are not part of a program. A tensor that they make
// becomes a constant when an operator of the program uses it.
struct Unseen {
  at::tracer::impl::NoTracerDispatchMode trace;
  c10::impl::ExcludeDispatchKeyGuard program{kExportKey};
};

}  // namespace gt
