#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "record.hpp"

namespace gt::capture {

void Recorder::host(std::shared_ptr<HostStep> step) {
  const Unrecorded all;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!inputs_.empty()) {
    std::unordered_set<c10::StorageImpl*> written;
    for (const at::Tensor& t : step->writes) {
      if (t.defined() && t.has_storage()) written.insert(storage(t));
    }
    follow(written);
  }
  Call c;
  c.how = How::host;
  c.stack = GT_CTX_STACK(tl_ctx);
  const bool dense = allowed([&] {
    TORCH_CHECK(!casts_kept(), step->name(),
                " runs within autocast, which keeps its casts of weights from step to step: put autocast into the "
                "step");
    for (const auto* list : {&step->params, &step->grads, &step->reads, &step->writes}) {
      for (const at::Tensor& t : *list) {
        TORCH_CHECK(!t.defined() || (t.has_storage() && t.layout() == at::kStrided), step->name(),
                    " with a tensor that is not dense cannot be captured");
      }
    }
  });
  if (!dense) return;
  Seen seen(step->name(), c.stack);
  for (const auto* list : {&step->params, &step->grads, &step->reads, &step->writes}) {
    for (const at::Tensor& t : *list) {
      describe(seen.argument(), t);
      if (!t.defined()) continue;
      if (t.requires_grad()) leaf(t);
      external(t);
    }
  }
  for (const at::Tensor& t : step->params) {
    if (Leaf* l = leaf(t)) l->does(Gradient::read);
  }
  if (!allowed([&] { compare(std::move(seen)); })) return;
  c.host = std::move(step);
  for (const at::Tensor& t : c.host->grads) {
    if (t.defined()) graph.refs.add(t.unsafeGetTensorImpl());
  }
  for (const auto* list : {&c.host->params, &c.host->grads, &c.host->reads, &c.host->writes}) {
    for (const at::Tensor& t : *list) {
      if (t.defined() && live_.erase(storage(t))) live_bytes_ -= storage(t)->nbytes();
    }
  }
  graph.calls.push_back(std::move(c));
}

}  // namespace gt::capture

#endif
