#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "tensor.h"

#include "abi.hpp"

#include <ATen/TensorIndexing.h>

namespace {

using at::indexing::TensorIndex;

std::vector<TensorIndex> indices(const gt_index_item* items, int64_t n) {
  std::vector<TensorIndex> r;
  r.reserve(n);
  for (int64_t i = 0; i < n; i++) {
    const auto& it = items[i];
    switch (it.kind) {
      case GT_INDEX_INT: r.emplace_back(it.start); break;
      case GT_INDEX_SLICE:
        TORCH_CHECK_VALUE(it.step > 0, "step must be greater than zero, got ", it.step);
        r.emplace_back(at::indexing::Slice(it.start, it.stop, it.step));
        break;
      case GT_INDEX_ELLIPSIS: r.emplace_back(at::indexing::Ellipsis); break;
      case GT_INDEX_NONE: r.emplace_back(at::indexing::None); break;
      case GT_INDEX_BOOL: r.emplace_back(it.start != 0); break;
      default: r.emplace_back(gt::as(it.tensor)); break;
    }
  }
  return r;
}

}  // namespace

extern "C" {

gt_ret gt_tensor_index(gt_ctx ctx, gt_tensor t, const gt_index_item* items, int64_t n) {
  try {
    gt::enter(ctx);
    return {gt::release(gt::as(t).index(indices(items, n))), 0};
  } catch (...) {
    return {0, gt::caught()};
  }
}

uintptr_t gt_tensor_index_put(gt_ctx ctx, gt_tensor t, const gt_index_item* items, int64_t n,
                       gt_tensor value) {
  try {
    gt::enter(ctx);
    at::Tensor self = gt::as(t);
    self.index_put_(indices(items, n), gt::as(value));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_tensor_index_put_scalar(gt_ctx ctx, gt_tensor t, const gt_index_item* items, int64_t n,
                              gt_scalar value) {
  try {
    gt::enter(ctx);
    at::Tensor self = gt::as(t);
    self.index_put_(indices(items, n), gt::scalar(value));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // extern "C"

#endif
