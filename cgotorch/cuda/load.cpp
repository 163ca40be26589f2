// Finds and opens libtorch_cuda. It is not linked, so that the same program runs on machines with
// and without CUDA. Its kernels and its allocator register themselves when it is opened.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "abi.hpp"
#include "common.hpp"
#include "settings.hpp"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <sys/stat.h>

#include <mutex>
#include <typeinfo>

uintptr_t gtcuda::caught() noexcept { return gt::caught(); }

namespace {

// Returns the directory of the library libtorch_cpu.
std::string library_folder() {
  Dl_info info{};
  // Only libtorch_cpu defines this function.
  TORCH_CHECK(dladdr(reinterpret_cast<void*>(&at::globalContext), &info) && info.dli_fname,
              "cannot tell which file libtorch_cpu was loaded from");
  const std::string file = info.dli_fname;
  const auto slash = file.rfind('/');
  return slash == std::string::npos ? "." : file.substr(0, slash);
}

// Whether the CUDA library has registered its hooks. (at::hasCUDA, in contrast, reports
// whether there is a device.)
bool has_cuda() {
  const auto& hooks = at::detail::getCUDAHooks();
  return typeid(hooks) != typeid(at::CUDAHooksInterface);
}

// libtorch gets its CUDA hooks once, for example to seed or to pin memory, and keeps the
// object. If the CUDA library is not open at that time, the object is a stub whose
// methods report that there is no CUDA. In this case, adopt_hooks replaces the stub's
// vtable with the vtable of the real hooks. Neither class has data members.
void adopt_hooks() {
  if (has_cuda()) return;
  auto real = at::CUDAHooksRegistry()->Create("CUDAHooks", at::CUDAHooksArgs{});
  if (!real) return;
  static_assert(sizeof(at::CUDAHooksInterface) == sizeof(void*));
  auto* none = const_cast<at::CUDAHooksInterface*>(&at::detail::getCUDAHooks());
  std::memcpy(static_cast<void*>(none), static_cast<const void*>(real.release()), sizeof(void*));
}

// Reports a missing driver first, because the libraries are several gigabytes in size and
// may take a minute to load from a slow disk. The CUDA runtime opens the driver by the
// same name.
void need_driver() {
  if (dlopen("libcuda.so.1", RTLD_LAZY)) return;  // not closed, because the CUDA runtime opens it next
  const char* why = dlerror();
  TORCH_CHECK(false, "Found no NVIDIA driver on your system: ", why ? why : "libcuda.so.1 cannot be opened");
}

void open_library() {
  const std::string folder = library_folder();
  const std::string path = folder + "/libtorch_cuda.so";
  struct stat st;
  TORCH_CHECK(stat(path.c_str(), &st) == 0, "CUDA is not installed: there is no libtorch_cuda.so in ", folder,
              "; scripts/install_libtorch.sh --cuda installs it");
  need_driver();
  if (!dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
    const char* why = dlerror();
    TORCH_CHECK(false, "CUDA cannot be loaded: ", why ? why : path.c_str());
  }
  adopt_hooks();
  TORCH_CHECK(has_cuda(), "CUDA cannot be loaded: ", path, " was opened but has no CUDA in it");
}

}  // namespace

uintptr_t gt_cuda_load(void) {
  static std::mutex mu;
  return gtcuda::guarded([] {
    std::lock_guard<std::mutex> lock(mu);
    open_library();
    gtcuda::apply_kept_settings();
    at::globalContext().lazyInitDevice(at::kCUDA);
    gtcuda::provide_modes();
  });
}

int gt_cuda_device_count(void) {
  const auto* impl = c10::impl::device_guard_impl_registry[static_cast<size_t>(c10::DeviceType::CUDA)].load();
  return impl ? impl->deviceCount() : 0;
}

#endif
