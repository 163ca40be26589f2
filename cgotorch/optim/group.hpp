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
  size_t count = 0;  // during a step: its place in Group::counts
};

// What a fused kernel takes: lists of equal length on one device, of one dtype.
struct Batch {
  std::vector<at::Tensor> params, grads;
  std::vector<at::Tensor> state[GT_STATE_COUNT];
  // Parameters with gaps in memory, which the kernels do not handle: they work
  // on a copy, which is copied back.
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;
  // State that was made for this step, and where it goes once the kernel has
  // filled it.
  std::vector<std::pair<at::Tensor*, at::Tensor>> fresh;
  bool first = false;  // SGD: no momentum yet

  void clear() {
    params.clear();
    grads.clear();
    for (auto& s : state) s.clear();
    copies.clear();
    fresh.clear();
  }
  bool takes(const at::Tensor& p, bool is_first) const {
    if (params.empty()) return true;
    const at::Tensor& q = params.front();
    const auto real = p.is_complex() ? c10::toRealValueType(p.scalar_type()) : p.scalar_type();
    return q.scalar_type() == real && q.device() == p.device() && first == is_first;
  }
};

// The number of steps that some parameters have gone, before a step and after.
struct Count {
  at::Tensor from, to;  // one tensor, unless a parameter without a gradient has it too
};

struct Group {
  std::vector<Slot> slots;
  // What a step works with. They are empty between steps, and kept so that a
  // step allocates nothing of its own.
  std::vector<Batch> batches;
  size_t used = 0;  // of the batches
  std::vector<Count> counts;
};

inline Group& group(gt_group g) { return *reinterpret_cast<Group*>(g); }

}  // namespace gt
