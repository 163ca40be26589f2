// Stacks tensors along a new first dimension, as for a batch of examples. libtorch's kernel
// supports tensors of any layout and dtype. It stacks single numbers through a view of each
// number, which takes much longer than copying the numbers. The kernel here only copies.
//
// This kernel replaces libtorch's in the dispatcher, so derivatives, autocast and profiles
// stay the same. Everything else goes to libtorch's kernel: other dimensions, tensors that
// are not contiguous or that differ in shape or dtype, and invalid arguments.

#ifdef GOTORCH_TOGETHER  // together_autograd.cpp includes this file

#include "stack.h"

#include "abi.hpp"
#include "kernels.hpp"
#include "tensor.h"

#include <ATen/EmptyTensor.h>
#include "parallel.hpp"
#include <ATen/core/Tensor.h>
#include <ATen/ops/stack_compositeexplicitautograd_dispatch.h>
#include <ATen/ops/stack_ops.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace {

// start returns the address of the first element of a tensor with a storage.
const char* start(const at::TensorImpl* t, size_t element) {
  return static_cast<const char*>(t->unsafe_storage().data()) + t->storage_offset() * element;
}

// alike returns whether this kernel supports the tensors. It calls no functions, because
// a batch may contain a hundred tensors.
bool alike(at::TensorList ts, int64_t dim) {
  if (ts.empty() || !ts[0].defined()) return false;
  const at::Tensor& first = ts[0];
  if (dim != 0 && dim != -1 - first.dim()) return false;
  if (first.layout() != at::kStrided || first.numel() == 0 || gt::named(first) || !first.has_storage() ||
      first.is_conj() || first.is_neg() || first._is_zerotensor() ||
      first.suggest_memory_format() != at::MemoryFormat::Contiguous) {
    return false;
  }
  const auto keys = first.key_set();
  const auto dtype = first.dtype();
  const at::IntArrayRef sizes = first.sizes();
  for (const at::Tensor& t : ts) {
    const at::TensorImpl* impl = t.unsafeGetTensorImpl();
    if (impl->key_set() != keys || impl->dtype() != dtype || !impl->is_contiguous() || impl->dim() != sizes.size() ||
        !impl->unsafe_storage()) {
      return false;
    }
    const at::IntArrayRef other = impl->sizes();
    for (size_t d = 0; d < sizes.size(); d++) {
      if (other[d] != sizes[d]) return false;
    }
  }
  return true;
}

template <size_t Bytes>
void copy_each(at::TensorList ts, char* out, size_t element) {
  for (const at::Tensor& t : ts) {
    std::memcpy(out, start(t.unsafeGetTensorImpl(), element), Bytes);
    out += Bytes;
  }
}

at::Tensor stack(at::TensorList ts, int64_t dim) {
  if (!alike(ts, dim)) return at::compositeexplicitautograd::stack(ts, dim);
  const at::Tensor& first = ts[0];
  at::DimVector shape{static_cast<int64_t>(ts.size())};
  shape.append(first.sizes().begin(), first.sizes().end());
  at::Tensor result = at::detail::empty_cpu(shape, first.options());
  char* out = static_cast<char*>(result.mutable_data_ptr());
  const size_t element = first.element_size(), bytes = first.numel() * element;
  switch (bytes) {  // For a few bytes, calling memcpy takes longer than copying.
    case 1: copy_each<1>(ts, out, element); break;
    case 4: copy_each<4>(ts, out, element); break;
    case 8: copy_each<8>(ts, out, element); break;
    case 16: copy_each<16>(ts, out, element); break;
    default: {
      constexpr int64_t grain = 1 << 15;  // number of elements for which another thread is worth its cost
      gt::parallel_for(0, ts.size(), std::max<int64_t>(1, grain / first.numel()), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++)
          std::memcpy(out + i * bytes, start(ts[i].unsafeGetTensorImpl(), element), bytes);
      });
    }
  }
  return result;
}

// differentiated returns whether autograd must record operations on t.
bool differentiated(const at::Tensor& t) { return t.unsafeGetTensorImpl()->autograd_meta() && t.requires_grad(); }

[[gnu::used]] torch::Library* const stack_registration = gt::take_place("cgotorch/stack.cpp", "stack", TORCH_FN(stack));

}  // namespace

extern "C" uintptr_t gt_stack_columns(gt_ctx ctx, const gt_tensor* ts, int64_t rows, int64_t columns, gt_tensor* out) {
  int64_t made = 0;
  try {
    gt::enter(ctx);
    for (; made < columns; made++) {
      const at::TensorList column(reinterpret_cast<const at::Tensor*>(ts + made * rows), rows);
      for (const at::Tensor& t : column) {
        TORCH_CHECK_TYPE(t.scalar_type() == column[0].scalar_type(), "examples of different dtypes");
      }
      // If no tensor requires gradients, skip autograd, which would check each tensor.
      std::optional<at::AutoDispatchBelowADInplaceOrView> below;
      if (std::none_of(column.begin(), column.end(), differentiated)) below.emplace();
      out[made] = gt::release(at::_ops::stack::call(column, 0));
    }
    return 0;
  } catch (...) {
    const uintptr_t err = gt::caught();
    while (made > 0) gt_free(out[--made]);
    return err;
  }
}

#endif
