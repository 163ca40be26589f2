// Devices, streams and events, through libtorch's device-independent interface.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "abi.hpp"
#include "common.hpp"
#include "modes.hpp"

#include <ATen/core/CachingHostAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

using gtcuda::guarded;

namespace {

c10::impl::VirtualGuardImpl impl() { return c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA); }

c10::Device dev(int device) { return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(device)}; }

c10::Stream stream(gt_cuda_stream s) { return c10::Stream(c10::Stream::UNSAFE, dev(s.device), s.id); }
gt_cuda_stream pack(const c10::Stream& s) { return {s.id(), s.device_index()}; }

// Like the device allocator's recordStream, for a block of page-locked memory.
void recordStreamOnHost(const c10::DataPtr& block, const c10::Stream& s) {
  const bool known = at::getHostAllocator(at::kCUDA)->record_event(block.get(), block.get_context(), s);
  TORCH_CHECK(known, "the tensor's page-locked memory is not of libtorch's allocator");
}

// The functions that read and set the CUDA modes of a thread.
constexpr gt::DeviceModes kModes = {
    [] { return gt_cuda_device_count(); },
    [] { return static_cast<int>(impl().getDevice().index()); },
    [](int device) { impl().uncheckedSetDevice(dev(device)); },
    [](int device) { return static_cast<int64_t>(impl().getStream(dev(device)).id()); },
    [](int device, int64_t id) { impl().exchangeStream(c10::Stream(c10::Stream::UNSAFE, dev(device), id)); },
    gtcuda::pool_use,
    gtcuda::set_pool_use,
};

}  // namespace

void gtcuda::provide_modes() { gt::device_modes.store(&kModes, std::memory_order_release); }

uintptr_t gt_cuda_synchronize(int device) {
  return guarded([&] { impl().synchronizeDevice(dev(device).index()); });
}
uintptr_t gt_cuda_new_stream(int device, int priority, gt_cuda_stream* out) {
  return guarded([&] { *out = pack(impl().getNewStream(dev(device), priority)); });
}
uintptr_t gt_cuda_stream_query(gt_cuda_stream s, int* out) {
  return guarded([&] { *out = impl().queryStream(stream(s)); });
}
uintptr_t gt_cuda_stream_synchronize(gt_cuda_stream s) {
  return guarded([&] { impl().synchronizeStream(stream(s)); });
}
uintptr_t gt_cuda_record_stream(gt_tensor t, gt_cuda_stream s) {
  return guarded([&] {
    const auto& storage = gt::as(t).storage();
    if (storage.device().is_cpu()) return recordStreamOnHost(storage.data_ptr(), stream(s));
    c10::getDeviceAllocator(c10::DeviceType::CUDA)->recordStream(storage.data_ptr(), stream(s));
  });
}

uintptr_t gt_cuda_event_record(uintptr_t* event, gt_cuda_stream s, int timing) {
  return guarded([&] {
    void* e = reinterpret_cast<void*>(*event);
    const auto flag = timing ? c10::EventFlag::BACKEND_DEFAULT : c10::EventFlag::PYTORCH_DEFAULT;
    impl().record(&e, stream(s), dev(s.device).index(), flag);
    *event = reinterpret_cast<uintptr_t>(e);
  });
}
uintptr_t gt_cuda_event_wait(uintptr_t event, gt_cuda_stream s) {
  return guarded([&] { impl().block(reinterpret_cast<void*>(event), stream(s)); });
}
uintptr_t gt_cuda_event_query(uintptr_t event, int* out) {
  return guarded([&] { *out = impl().queryEvent(reinterpret_cast<void*>(event)); });
}
uintptr_t gt_cuda_event_synchronize(uintptr_t event) {
  return guarded([&] { impl().synchronizeEvent(reinterpret_cast<void*>(event)); });
}
uintptr_t gt_cuda_event_elapsed(uintptr_t start, uintptr_t end, int device, double* out_ms) {
  return guarded([&] {
    *out_ms = impl().elapsedTime(reinterpret_cast<void*>(start), reinterpret_cast<void*>(end), dev(device).index());
  });
}
void gt_cuda_event_destroy(uintptr_t event, int device) {
  impl().destroyEvent(reinterpret_cast<void*>(event), static_cast<c10::DeviceIndex>(device));
}

#endif
