// The parameters of a group that take part in a step, sorted into what one
// call of a fused kernel can do.
#pragma once

#include "../abi.hpp"

#include <vector>

#include "optim.h"

namespace gt {

struct Slot {
  at::Tensor param;
  at::Tensor state[GT_STATE_COUNT];
};

struct Group {
  std::vector<Slot> slots;
};

inline Group& group(gt_group g) { return *reinterpret_cast<Group*>(g); }

// What a fused kernel takes: lists of equal length on one device, of one dtype.
struct Batch {
  std::vector<at::Tensor> params, grads;
  std::vector<at::Tensor> state[GT_STATE_COUNT];
  // Parameters with gaps in memory, which the kernels do not handle: they work
  // on a copy, which is copied back.
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;
  bool first = false;  // SGD: no momentum yet

  void clear() {
    params.clear();
    grads.clear();
    for (auto& s : state) s.clear();
    copies.clear();
  }
  bool takes(const at::Tensor& p, bool is_first) const {
    if (params.empty()) return true;
    const at::Tensor& q = params.front();
    const auto real = p.is_complex() ? c10::toRealValueType(p.scalar_type()) : p.scalar_type();
    return q.scalar_type() == real && q.device() == p.device() && first == is_first;
  }
};

}  // namespace gt
