#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "runtime.h"
#include "tensor.h"

#include "abi.hpp"
#include "capturing.hpp"
#include "recording.hpp"
#include "released.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_ops.h>
#include <ATen/ops/from_blob.h>

using gt::as;

namespace {

int32_t device_code(const c10::Device& d) {
  return (static_cast<int32_t>(d.type()) << 8) | static_cast<uint8_t>(d.index() + 1);
}

using Impl = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

}  // namespace

extern "C" {

void gt_free(gt_tensor t) {
  if (t) Impl::reclaim(reinterpret_cast<c10::TensorImpl*>(t));
}

void gt_free_n(const gt_tensor* ts, int64_t n) {
  for (int64_t i = 0; i < n; i++) gt_free(ts[i]);
}

gt_tensor gt_ref(gt_tensor t) { return gt::release(as(t)); }

void gt_error_free(uintptr_t err) {
  auto* e = reinterpret_cast<gt_error*>(err);
  if (!e) return;
  if (e->kind == GT_ERR_OOM) gt_error_free_draws(err);
  delete static_cast<c10::Error*>(e->held);
  std::free(e->message);
  std::free(e);
}

char* gt_error_trace(uintptr_t err) {
  auto* e = reinterpret_cast<gt_error*>(err);
  if (!e || !e->held) return nullptr;
  return strdup(static_cast<c10::Error*>(e->held)->what());
}

void gt_tensor_info(gt_tensor h, gt_info* out) {
  const at::Tensor& t = as(h);
  auto* impl = t.unsafeGetTensorImpl();
  *out = gt_info{};
  const bool strided = t.layout() == at::kStrided && !t.is_nested();
  if (!t.is_nested()) {
    out->dim = t.dim();
    out->numel = t.numel();
  }
  out->storage_offset = strided ? t.storage_offset() : 0;
  out->device = device_code(t.device());
  out->dtype = static_cast<int8_t>(t.scalar_type());
  out->layout = static_cast<int8_t>(t.layout());
  out->requires_grad = t.requires_grad();
  out->is_nested = t.is_nested();
  try {
    out->has_grad_fn = t.grad_fn() != nullptr;
  } catch (const std::exception&) {
    // This view was created without gradients, and then its base was modified in place
    // with gradients. libtorch reports an error, because it cannot tell whether the graph
    // should contain the view.
    out->has_grad_fn = true;
  }
  out->is_leaf = !out->has_grad_fn;
  out->is_contiguous = strided && t.is_contiguous();
  out->is_inference = impl->is_inference();
}

int64_t gt_tensor_sizes(gt_tensor h, int64_t* out, int64_t cap) {
  const at::Tensor& t = as(h);
  if (t.is_nested()) return 0;
  const auto sizes = t.sizes();
  const int64_t n = sizes.size();
  for (int64_t i = 0; i < n && i < cap; i++) out[i] = sizes[i];
  return n;
}

int64_t gt_tensor_strides(gt_tensor h, int64_t* out, int64_t cap, uintptr_t* err) {
  try {
    const auto strides = as(h).strides();
    const int64_t n = strides.size();
    for (int64_t i = 0; i < n && i < cap; i++) out[i] = strides[i];
    return n;
  } catch (...) {
    *err = gt::caught();
    return 0;
  }
}

int64_t gt_tensor_numel(gt_tensor h) { return as(h).is_nested() ? 0 : as(h).numel(); }
int64_t gt_tensor_dim(gt_tensor h) { return as(h).is_nested() ? 0 : as(h).dim(); }
int gt_tensor_dtype(gt_tensor h) { return static_cast<int>(as(h).scalar_type()); }

gt_storage_info gt_tensor_storage(gt_tensor h) {
  gt_storage_info r{};
  try {
    const at::Tensor& t = as(h);
    r.uses = t.use_count();
    if (t.has_storage()) {
      r.storage = reinterpret_cast<uintptr_t>(t.storage().unsafeGetStorageImpl());
      r.storage_bytes = t.storage().nbytes();
      r.data = reinterpret_cast<uintptr_t>(t.const_data_ptr());
    }
  } catch (...) {
    r.err = gt::caught();
  }
  return r;
}

gt_ret gt_from_data(gt_ctx ctx, const uint8_t* data, int64_t nbytes, const int64_t* sizes, int64_t n,
                    int8_t dtype, int32_t device) {
  try {
    gt::enter(ctx);
    gt::not_in_capture("a tensor is created from Go data");
    const gt::Unseen constant;  // a recorder does not see the bytes that are copied here
    const auto type = static_cast<at::ScalarType>(dtype);
    at::Tensor t = at::_ops::empty_memory_format::call(c10::fromIntArrayRefSlow(at::IntArrayRef(sizes, n)), type,
                                                       std::nullopt, std::nullopt, std::nullopt, std::nullopt);
    TORCH_CHECK_VALUE(static_cast<int64_t>(t.nbytes()) == nbytes, "the data has ", nbytes,
                      " bytes, the shape ", t.sizes(), " of ", type, " needs ", t.nbytes());
    if (nbytes) std::memcpy(t.mutable_data_ptr(), data, nbytes);
    if (device > 0) t = t.to(c10::Device(static_cast<c10::DeviceType>(device >> 8),
                                         static_cast<int8_t>((device & 255) - 1)));
    return {gt::release(std::move(t)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

gt_ret gt_from_shared(gt_ctx ctx, uintptr_t data, const int64_t* sizes, int64_t n, int8_t dtype,
                      int64_t release_id) {
  try {
    gt::enter(ctx);
    gt::not_in_capture("a tensor is created over Go memory");
    at::Tensor t = at::from_blob(
        reinterpret_cast<void*>(data), at::IntArrayRef(sizes, n),
        [release_id](void*) { gt::push_released(release_id); },
        at::TensorOptions().dtype(static_cast<at::ScalarType>(dtype)));
    return {gt::release(std::move(t)), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

uintptr_t gt_tensor_copy_out(gt_ctx ctx, gt_tensor h, uint8_t* dst, int64_t nbytes) {
  try {
    gt::enter(ctx);
    gt::not_in_capture("a tensor's values are read");
    gt::not_in_program(as(h));
    const gt::Unseen reading;
    at::Tensor t = as(h).detach();
    if (!t.device().is_cpu() && !t._is_zerotensor()) t = t.cpu();
    t = t.resolve_conj().resolve_neg().contiguous();
    TORCH_CHECK_VALUE(static_cast<int64_t>(t.nbytes()) == nbytes, "the destination has ", nbytes,
                      " bytes, the tensor ", t.nbytes());
    if (nbytes == 0) return 0;
    if (t._is_zerotensor()) {  // A zero tensor, which autograd uses for a gradient that is zero, has no storage.
      std::memset(dst, 0, nbytes);
      return 0;
    }
    const void* data = t.const_data_ptr();
    TORCH_CHECK(data != nullptr, "the tensor has ", t.numel(), " elements but no memory: its storage was freed");
    std::memcpy(dst, data, nbytes);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_tensor_copy_in(gt_ctx ctx, gt_tensor h, const uint8_t* src, int64_t nbytes) {
  try {
    gt::enter(ctx);
    gt::not_in_capture("Go values are written to a tensor");
    const at::Tensor& t = as(h);
    TORCH_CHECK_VALUE(static_cast<int64_t>(t.nbytes()) == nbytes, "the source has ", nbytes,
                      " bytes, the tensor ", t.nbytes());
    if (!nbytes) return 0;
    // copy_ notifies autograd of the write, and works with any layout of t.
    at::Tensor values =
        at::from_blob(const_cast<uint8_t*>(src), t.sizes(), t.options().device(at::kCPU).requires_grad(false));
    if (gt::records_program()) {  // the program keeps the values
      const gt::Unseen constant;
      values = values.clone();
    }
    t.copy_(values);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

gt_scalar_ret gt_tensor_item(gt_ctx ctx, gt_tensor h) {
  gt_scalar_ret r{};
  try {
    gt::enter(ctx);
    const c10::Scalar s = as(h).item();
    if (s.isComplex()) {
      const auto c = s.toComplexDouble();
      r.v = {GT_SCALAR_COMPLEX, 0, c.real(), c.imag()};
    } else if (s.isBoolean()) {
      r.v = {GT_SCALAR_BOOL, s.toBool(), 0, 0};
    } else if (s.isFloatingPoint()) {
      r.v = {GT_SCALAR_FLOAT, 0, s.toDouble(), 0};
    } else if (s.type() == at::kUInt64) {
      r.v = {GT_SCALAR_INT, static_cast<int64_t>(s.toUInt64()), 0, 0};
    } else {
      r.v = {GT_SCALAR_INT, s.toLong(), 0, 0};
    }
  } catch (...) {
    r.err = gt::caught();
  }
  return r;
}

}  // extern "C"

#endif
