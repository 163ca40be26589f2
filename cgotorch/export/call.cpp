// Calls operators by name, and loads libraries of operators.
#ifdef GOTORCH_TOGETHER

#include <dlfcn.h>

#include <sstream>

// Package vision defines these; see vision/vision.h. In a program without that package,
// they are null pointers.
extern "C" __attribute__((weak)) void gt_vision_withdraw(void);
extern "C" __attribute__((weak)) void gt_vision_restore(void);

namespace gt::exported {
namespace {

// Takes back the schemas of package vision while a library is loaded, because the library
// may register the same operators.
struct WithoutVision {
  WithoutVision() {
    if (gt_vision_withdraw) gt_vision_withdraw();
  }
  ~WithoutVision() {
    if (gt_vision_restore) gt_vision_restore();
  }
};

// Reads the arguments of a call. An error of libtorch about their types becomes a TypeError.
Values typed_arguments(const c10::OperatorHandle& op, Builder words) {
  try {
    auto stack = words.arguments(op);
    op.schema().checkAndNormalizeInputs(stack, {});  // because kernels trust the types
    return stack;
  } catch (const c10::ValueError&) {
    throw;
  } catch (const c10::Error& e) {
    const std::string text = e.what_without_backtrace();
    TORCH_CHECK_TYPE(false, text.substr(0, text.find('\n')));
  }
}

}  // namespace
}  // namespace gt::exported

extern "C" {

uintptr_t gt_export_call(gt_ctx cx, const char* name, const char* overload, int below, const uint64_t* words,
                         int64_t n_words, const gt_tensor* handles, int64_t n_handles, gt_export_out* out) {
  using namespace gt::exported;
  try {
    gt::enter(cx);
    const auto op = find(name, overload);
    auto stack = typed_arguments(op, Builder(words, n_words, {handles, static_cast<size_t>(n_handles)}));
    std::optional<at::AutoDispatchBelowADInplaceOrView> guard;
    if (below) guard.emplace();
    op.callBoxed(stack);
    Writer to;
    for (const auto& v : stack) to.value(v);
    to.give(out);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_export_schemas(const char* name, gt_export_out* out) {
  using namespace gt::exported;
  try {
    Writer to;
    for (const auto& op : c10::Dispatcher::singleton().getAllOpNames()) {
      if (!*name) {
        to.value(op.overload_name.empty() ? op.name : op.name + "." + op.overload_name);
      } else if (op.name == name) {
        if (const auto h = c10::Dispatcher::singleton().findSchema(op)) {
          std::ostringstream text;
          text << h->schema();
          to.value(text.str());
        }
      }
    }
    to.give(out);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_export_load_library(const char* path) {
  try {
    const gt::exported::WithoutVision without;
    gt::exported::provide_libtorch();
    // As torch.ops.load_library does.
    TORCH_CHECK(dlopen(path, RTLD_NOW | RTLD_GLOBAL), dlerror());
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // extern "C"

#endif
