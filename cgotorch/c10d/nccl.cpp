// NCCL's backend is in libtorch_cuda, which is opened at run time, and its header needs
// CUDA's headers. So this file looks up the constructors by name. The sizes of the
// objects are unknown, so this file allocates more memory than they need.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file
#include "handles.hpp"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <c10/util/env.h>

#include <dlfcn.h>

#include <cstring>
#include <new>
#include <string>

namespace {

constexpr size_t room = 1 << 16;

// The constructor takes these objects by reference, so this works without knowing their types.
template <class T, class... Args>
c10::intrusive_ptr<T> made(const char* constructor, Args... args) {
  auto* construct = reinterpret_cast<void (*)(void*, Args...)>(dlsym(RTLD_DEFAULT, constructor));
  if (!construct) throw gt::MissingOperator("this libtorch_cuda has no NCCL");
  void* p = ::operator new(room);
  std::memset(p, 0, room);
  try {
    construct(p, args...);
  } catch (...) {
    ::operator delete(p);
    throw;
  }
  return c10::intrusive_ptr<T>::unsafe_steal_from_new(static_cast<T*>(p));
}

// By default, libtorch ends the process if a collective times out or its watchdog hangs.
// With these environment variables, libtorch aborts its communicators instead. Variables
// that the user has set are unchanged.
void keep_the_process() {
  c10::utils::set_env("TORCH_NCCL_ASYNC_ERROR_HANDLING", "2", false);
  c10::utils::set_env("TORCH_NCCL_ENABLE_MONITORING", "0", false);
}

}  // namespace

extern "C" gt_dist_status gt_group_add_nccl(gt_group g, gt_store s, int64_t timeout, const char* name) {
  using gt::dist::at_handle;
  return gt::dist::run([&] {
    const gt::dist::WithoutPipeSignal started;
    keep_the_process();
    auto& group = at_handle<c10d::ProcessGroup>(g);
    c10::intrusive_ptr<c10d::Store> own = c10::make_intrusive<c10d::PrefixStore>(
        "cuda/", c10::make_intrusive<c10d::PrefixStore>(std::string(name) + "/", gt::dist::shared<c10d::Store>(s)));
    auto options = made<c10d::Backend::Options>("_ZN4c10d16ProcessGroupNCCL7OptionsC1Eb", false);
    options->timeout = gt::dist::ms(timeout);
    options->group_name = name;
    auto nccl = made<c10d::Backend>(
        "_ZN4c10d16ProcessGroupNCCLC1EN3c1013intrusive_ptrINS_5StoreENS1_6detail34intrusive_target_default_null_"
        "typeIS3_"
        "EEEEiiNS2_INS0_7OptionsENS5_IS8_EEEE",
        own, group.getRank(), group.getSize(), options);
    group.setBackend(c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::NCCL, nccl);
    nccl->setGroupUid(name);
  });
}

extern "C" gt_dist_status gt_group_connect_nccl(gt_group g, int device) {
  return gt::dist::run([&] {
    const gt::dist::WithoutPipeSignal started;
    gt::dist::at_handle<c10d::ProcessGroup>(g)
        .getBackend(c10::DeviceType::CUDA)
        ->eagerConnectSingleDevice({c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)});
  });
}

#endif
