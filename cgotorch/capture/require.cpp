#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "capture.h"

#include "abi.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

namespace {

// Fails with the message if an element of ok, a dense bool tensor, is false. The check is
// an operator, so that a recording contains it and each replay repeats it.
void require(const at::Tensor& ok, const std::string& message) {
  const auto* element = ok.const_data_ptr<bool>();
  for (int64_t i = 0; i < ok.numel(); i++) TORCH_CHECK_VALUE(element[i], message);
}

[[maybe_unused]] const bool installed = [] {
  auto* library =
      new torch::Library(torch::Library::FRAGMENT, "gotorch", std::nullopt, __FILE__, __LINE__);  // never freed
  library->def("require(Tensor ok, str message) -> ()");
  library->impl("require", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(require)));
  return true;
}();

}  // namespace

extern "C" uintptr_t gt_require(gt_ctx ctx, gt_tensor ok, const char* message, int64_t n) {
  try {
    gt::enter(ctx);
    static const auto op = c10::Dispatcher::singleton()
                               .findSchemaOrThrow("gotorch::require", "")
                               .typed<void(const at::Tensor&, const std::string&)>();
    op.call(gt::as(ok).contiguous(), std::string(message, n));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

#endif
