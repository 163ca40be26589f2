#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "record.hpp"
#include "slots.hpp"

#include <ATen/ops/copy_ops.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>

namespace gt::capture {

// An audit is a recording of one pass. Like the second pass, it keeps its calls to the
// end, because autograd adds gradients in place only if nothing else refers to their
// memory.
Recorder::Recorder(const Recorder& recorded)
    : lenient(true),
      pass_(Pass::record),
      rehearsed_(recorded.rehearsed_),
      names_(recorded.names_),
      held_(recorded.held_),
      unlike_("the step has changed since its capture: ") {}

void Recorder::end_audit() {
  enter(number, nullptr);
  // The stack is from the first recording. An audit records no stacks, because that would
  // make it considerably slower.
  size_t at = std::min(failure_.empty() ? next_ : std::max<size_t>(next_, 1) - 1, rehearsed_->size() - 1);
  while (at > 0 && !(*rehearsed_)[at].stack) at--;  // the end of the step has no stack: use an earlier one
  failed_at = (*rehearsed_)[at].stack;
  TORCH_CHECK(failure_.empty(), failure_);
  TORCH_CHECK(next_ == rehearsed_->size(), unlike_, (*rehearsed_)[next_].name(), " is missing");
}

void Graph::adopt(at::TensorList now) {
  const at::AutoDispatchBelowADInplaceOrView below;
  for (Fresh& f : fresh_) {
    if (held(f)) renew(f);
  }
  for (Leaf& l : leaves) {
    at::Tensor& grad = l.tensor.mutable_grad();
    if (!l.touched || !l.after.defined() || !grad.defined() || grad.is_same(l.after)) continue;
    at::Tensor after = l.after;
    if (auto* s = storage(after); !s->data()) s->set_data_ptr_noswap(c10::GetCPUAllocator()->allocate(s->nbytes()));
    at::_ops::copy_::call(after, grad, false);
    grad = after;
  }
  for (size_t i = 0; i < now.size(); i++) {
    auto *to = storage(results[i]), *from = storage(now[i]);
    if (to == from || !to->nbytes()) continue;
    if (!to->data()) to->set_data_ptr_noswap(c10::GetCPUAllocator()->allocate(to->nbytes()));
    std::memcpy(to->mutable_data(), from->data(), std::min(to->nbytes(), from->nbytes()));
    results[i].unsafeGetTensorImpl()->bump_version();
  }
}

}  // namespace gt::capture

#endif
