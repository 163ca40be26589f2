// This file does not use libtorch's own conversions (ATen/DLConvertor.h). Its fromDLPack
// ignores byte_offset and trusts every field. The structs from its toDLPack point to the
// tensor's shape, which in-place operators change.
#include "dlpack.h"

#include "../released.hpp"
#include "../tensor.h"
#include "abi.hpp"
#include "capturing.hpp"

#include <ATen/dlpack.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/Storage.h>
#include <c10/util/SmallVector.h>

extern "C" void gotorchDLPackReleased(void);

namespace {

struct Type {
  at::ScalarType dtype;
  uint8_t code, bits, lanes;
};

constexpr Type types[] = {
    {at::kByte, kDLUInt, 8, 1},
    {at::kChar, kDLInt, 8, 1},
    {at::kShort, kDLInt, 16, 1},
    {at::kInt, kDLInt, 32, 1},
    {at::kLong, kDLInt, 64, 1},
    {at::kUInt16, kDLUInt, 16, 1},
    {at::kUInt32, kDLUInt, 32, 1},
    {at::kUInt64, kDLUInt, 64, 1},
    {at::kHalf, kDLFloat, 16, 1},
    {at::kFloat, kDLFloat, 32, 1},
    {at::kDouble, kDLFloat, 64, 1},
    {at::kBFloat16, kDLBfloat, 16, 1},
    {at::kComplexHalf, kDLComplex, 32, 1},
    {at::kComplexFloat, kDLComplex, 64, 1},
    {at::kComplexDouble, kDLComplex, 128, 1},
    {at::kBool, kDLBool, 8, 1},
    {at::kFloat8_e4m3fn, kDLFloat8_e4m3fn, 8, 1},
    {at::kFloat8_e4m3fnuz, kDLFloat8_e4m3fnuz, 8, 1},
    {at::kFloat8_e5m2, kDLFloat8_e5m2, 8, 1},
    {at::kFloat8_e5m2fnuz, kDLFloat8_e5m2fnuz, 8, 1},
    {at::kFloat8_e8m0fnu, kDLFloat8_e8m0fnu, 8, 1},
    {at::kFloat4_e2m1fn_x2, kDLFloat4_e2m1fn, 4, 2},
};

const Type* type_of(at::ScalarType dtype) {
  for (const Type& t : types) {
    if (t.dtype == dtype) return &t;
  }
  return nullptr;
}

int8_t dtype_of(const DLDataType& d) {
  for (const Type& t : types) {
    if (t.code == d.code && t.bits == d.bits && t.lanes == d.lanes) return static_cast<int8_t>(t.dtype);
  }
  return -1;
}

// A struct for other libraries. It keeps the tensor's storage alive but not the tensor,
// so later changes to the tensor's shape do not affect the struct.
template <class Managed>
struct Exported {
  Managed managed{};
  c10::Storage storage;
  c10::SmallVector<int64_t, 16> dims;  // sizes, then strides

  // The deleter. The other library may call it on any thread.
  static void done(Managed* m) {
    delete static_cast<Exported*>(m->manager_ctx);
    // If this was the last use of memory outside libtorch, that memory is now free.
    // Without this call, Go might not notice for a long time.
    if (__atomic_load_n(gt_released_count(), __ATOMIC_ACQUIRE) > 0) gotorchDLPackReleased();
  }
};

int32_t refusal(const at::Tensor& t) {
  if (t.requires_grad()) return GT_DLPACK_REQUIRES_GRAD;
  if (t.is_conj()) return GT_DLPACK_CONJUGATE;
  if (t.is_neg()) return GT_DLPACK_NEGATIVE;
  if (t.layout() != at::kStrided || t.is_nested()) return GT_DLPACK_LAYOUT;
  if (!t.device().is_cpu() && !t.device().is_cuda()) return GT_DLPACK_DEVICE;
  if (!type_of(t.scalar_type())) return GT_DLPACK_DTYPE;
  if (!t.has_storage() || t._is_zerotensor() || (t.numel() && !t.const_data_ptr())) return GT_DLPACK_NO_MEMORY;
  return GT_DLPACK_EXPORTED;
}

template <class Managed>
Managed* exported(const at::Tensor& t) {
  auto e = std::make_unique<Exported<Managed>>();
  // Forbid resizing: resize_ could move memory that other libraries use. Tensor.numpy does the same.
  auto* storage = t.storage().unsafeGetStorageImpl();
  if (storage->resizable()) storage->set_resizable(false);
  e->dims.append(t.sizes().begin(), t.sizes().end());
  e->dims.append(t.strides().begin(), t.strides().end());
  const Type* type = type_of(t.scalar_type());
  DLTensor& d = e->managed.dl_tensor;
  d.data = t.numel() ? t.mutable_data_ptr() : nullptr;
  d.device = t.is_cuda() ? DLDevice{kDLCUDA, t.device().index()} : DLDevice{kDLCPU, 0};
  d.ndim = t.dim();
  d.dtype = {type->code, type->bits, type->lanes};
  d.shape = e->dims.data();
  d.strides = d.shape + d.ndim;
  e->storage = t.storage();
  e->managed.manager_ctx = e.get();
  e->managed.deleter = &Exported<Managed>::done;
  return &e.release()->managed;
}

void read(const DLTensor& d, gt_dlpack_info* out) {
  out->data = reinterpret_cast<uintptr_t>(d.data);
  out->byte_offset = d.byte_offset;
  out->shape = d.shape;
  out->strides = d.strides;
  out->device_type = static_cast<int32_t>(d.device.device_type);
  out->device_id = d.device.device_id;
  out->ndim = d.ndim;
  out->lanes = d.dtype.lanes;
  out->code = d.dtype.code;
  out->bits = d.dtype.bits;
  out->dtype = dtype_of(d.dtype);
}

template <class Managed>
void call_deleter(uintptr_t managed) {
  auto* m = reinterpret_cast<Managed*>(managed);
  if (!m->deleter) return;
  try {
    m->deleter(m);
  } catch (...) {  // The foreign deleter has thrown. No caller could handle that.
  }
}

// Owns imported memory. armed is set once the import has succeeded; before that, nothing
// is released.
struct Held {
  int64_t id;
  bool armed;

  static void drop(void* p) {
    auto* h = static_cast<Held*>(p);
    // Only queue the id, because this may run inside an operator. The foreign deleter might wait
    // for a lock, such as Python's, and the thread that holds the lock might wait for the operator.
    if (h->armed) gt::push_released(h->id);
    delete h;
  }
};

}  // namespace

extern "C" {

gt_dlpack_ret gt_dlpack_export(gt_ctx ctx, gt_tensor h, int8_t versioned, uint64_t flags) {
  try {
    gt::enter(ctx);
    gt::not_in_capture("a tensor is given to another library");
    const at::Tensor& t = gt::as(h);
    if (const int32_t why = refusal(t)) return {0, why, 0};
    if (!versioned) return {reinterpret_cast<uintptr_t>(exported<DLManagedTensor>(t)), 0, 0};
    auto* m = exported<DLManagedTensorVersioned>(t);
    m->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    m->flags = flags;
    return {reinterpret_cast<uintptr_t>(m), 0, 0};
  } catch (...) {
    return {0, 0, gt::caught()};
  }
}

int32_t gt_dlpack_refusal(gt_tensor h) {
  try {
    return refusal(gt::as(h));
  } catch (...) {
    return GT_DLPACK_LAYOUT;  // this kind of tensor has no strides
  }
}

void gt_dlpack_read(uintptr_t managed, int8_t versioned, gt_dlpack_info* out) {
  *out = gt_dlpack_info{};
  if (!versioned) {
    auto* m = reinterpret_cast<const DLManagedTensor*>(managed);
    read(m->dl_tensor, out);
    out->own = m->deleter == &Exported<DLManagedTensor>::done;
    return;
  }
  auto* m = reinterpret_cast<const DLManagedTensorVersioned*>(managed);
  out->major = m->version.major;
  out->minor = m->version.minor;
  out->own = m->deleter == &Exported<DLManagedTensorVersioned>::done;
  if (out->major != DLPACK_MAJOR_VERSION) return;
  out->flags = m->flags;
  read(m->dl_tensor, out);
}

gt_ret gt_dlpack_import(gt_ctx ctx, uintptr_t data, const int64_t* sizes, const int64_t* strides, int64_t n,
                        int8_t dtype, int32_t device, int64_t release_id) {
  try {
    gt::enter(ctx);
    const at::Device dev(static_cast<at::DeviceType>(device >> 8), static_cast<int8_t>((device & 0xff) - 1));
    auto* held = new Held{release_id, false};
    auto maker = at::for_blob(reinterpret_cast<void*>(data), at::IntArrayRef(sizes, n));
    maker.strides(at::IntArrayRef(strides, n)).context(held, &Held::drop);
    maker.options(at::TensorOptions().dtype(static_cast<at::ScalarType>(dtype)).device(dev));
    // Without a target device, libtorch asks the driver where the memory is, and rejects
    // memory of a different device.
    if (dev.is_cpu() || !data) maker.target_device(dev);
    at::Tensor t = maker.make_tensor();
    held->armed = true;
    return {gt::release(std::move(t)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

void gt_dlpack_delete(uintptr_t managed, int8_t versioned) {
  if (versioned) {
    call_deleter<DLManagedTensorVersioned>(managed);
  } else {
    call_deleter<DLManagedTensor>(managed);
  }
}

}  // extern "C"
