// Properties of devices and streams, read with functions of the CUDA runtime and of
// libtorch_cuda that are looked up by name.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "abi.hpp"
#include "common.hpp"
#include "symbol.hpp"

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>

using gtcuda::check;
using gtcuda::symbol;

namespace {

// The first fields of cudaDeviceProp, which have been the same since CUDA 10. The later
// fields differ between versions, so gotorch reads other properties as attributes.
struct properties {
  char name[256];
  unsigned char uuid[16];
  char luid[8];
  unsigned int luid_mask;
  size_t total_memory;
};

}  // namespace

uintptr_t gt_cuda_properties_read(int device, gt_cuda_properties* out) {
  return gtcuda::guarded([&] {
    const auto* p = symbol<properties*(int8_t)>("_ZN2at4cuda19getDevicePropertiesEa")(static_cast<int8_t>(device));
    static_assert(sizeof p->name == sizeof out->name && sizeof p->uuid == sizeof out->uuid);
    std::memcpy(out->name, p->name, sizeof out->name);
    std::memcpy(out->uuid, p->uuid, sizeof out->uuid);
    out->total_memory = static_cast<int64_t>(p->total_memory);
  });
}

uintptr_t gt_cuda_attribute(int device, int which, int* out) {
  return gtcuda::guarded([&] { check(symbol<int(int*, int, int)>("cudaDeviceGetAttribute")(out, which, device)); });
}

uintptr_t gt_cuda_can_access_peer(int device, int peer, int* out) {
  return gtcuda::guarded([&] { check(symbol<int(int*, int, int)>("cudaDeviceCanAccessPeer")(out, device, peer)); });
}

uintptr_t gt_cuda_priorities(int device, int* least, int* greatest) {
  return gtcuda::guarded([&] {
    const c10::DeviceGuard on({c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)});
    check(symbol<int(int*, int*)>("cudaDeviceGetStreamPriorityRange")(least, greatest));
    *least = 0;                          // as in c10::cuda::CUDAStream::priority_range
    *greatest = std::max(*greatest, -3);  // libtorch has pools for four priorities, 0 to -3
  });
}

uintptr_t gt_cuda_config(char** out) {
  return gtcuda::guarded([&] { *out = gtcuda::copy_of(at::detail::getCUDAHooks().showConfig()); });
}

uintptr_t gt_cuda_stream_handle(gt_cuda_stream s, uintptr_t* out) {
  return gtcuda::guarded([&] {
    // A CUDAStream has no members besides its Stream.
    const c10::Stream stream(c10::Stream::UNSAFE, {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(s.device)},
                             s.id);
    *out = symbol<uintptr_t(const c10::Stream*)>("_ZNK3c104cuda10CUDAStream6streamEv")(&stream);
  });
}

uintptr_t gt_cuda_stream_priority(gt_cuda_stream s, int* out) {
  uintptr_t handle = 0;
  if (const uintptr_t e = gt_cuda_stream_handle(s, &handle)) return e;
  return gtcuda::guarded([&] {
    const c10::DeviceGuard on({c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(s.device)});
    check(symbol<int(uintptr_t, int*)>("cudaStreamGetPriority")(handle, out));
  });
}

uintptr_t gt_cuda_event_create(int device, unsigned flags, uintptr_t* out) {
  return gtcuda::guarded([&] {
    const c10::DeviceGuard on({c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)});
    check(symbol<int(uintptr_t*, unsigned)>("cudaEventCreateWithFlags")(out, flags));
  });
}

#endif
