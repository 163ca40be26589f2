#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "record.hpp"

#include "slots.hpp"

namespace gt::capture {

void Recorder::returned(at::TensorList results) {
  Seen seen("the end of the step", 0);
  for (const at::Tensor& t : results) {
    if (!t.has_storage()) return;  // rejected later
    describe(seen.argument(), t);
  }
  allowed([&] { compare(std::move(seen)); });
}

Match Recorder::match_gradients() const {
  const bool ended = !number;
  Match match = Match::matches;
  for (const Leaf& l : graph.leaves) {
    if (!l.needs_before) continue;
    const at::Tensor& now = l.tensor.grad();
    if (!l.before || !ended) {
      if (l.before.has_value() != now.defined()) match = Match::differs;
    } else if (now.unsafeGetTensorImpl() != l.before->_unsafe_get_target()) {
      if (l.before->expired()) return Match::never_matches;
      match = Match::differs;
    }
  }
  return match;
}

void Recorder::end(at::TensorList inputs, at::TensorList results) {
  TORCH_CHECK(pass_ == Pass::record, "a recording has two passes");
  enter(number, nullptr);
  forget_casts();
  unlooked_ = live_.size(), live_bytes_ = SIZE_MAX;
  release();
  live_.clear(), live_bytes_ = 0;
  TORCH_CHECK(failure_.empty(), failure_);
  if (next_ < rehearsed_->size()) failed_at = (*rehearsed_)[next_].stack;
  TORCH_CHECK(next_ == rehearsed_->size(), unlike_, (*rehearsed_)[next_].name(), " is missing");
  TORCH_CHECK_VALUE(!graph.calls.empty(), "the step calls no operator");
  for (size_t i = 0; i < inputs.size(); i++) {
    TORCH_CHECK_VALUE(outside_.count(storage(inputs[i])), "input ", i,
                      " is not read by the step: the function must use this tensor itself, not a copy");
  }
  for (Leaf& l : graph.leaves) {
    l.after = l.tensor.grad();
    if (l.after.defined()) graph.refs.add(l.after.unsafeGetTensorImpl());
    l.memory = l.tensor.has_storage() ? storage(l.tensor) : nullptr;
    l.requires_grad = l.tensor.requires_grad();
    l.hooks = hooks_of(l.tensor);
  }
  for (External& e : graph.externals) e.requires_grad = e.tensor.requires_grad();  // value at the end of the step
  graph.settings = settings_now();
  graph.renews = lenient;
  graph.results = results.vec();
  forget_results();
  leaf_index_ = {};
  inputs_ = {};
  if (optimize) unchanged = graph.optimize(changing, precision);
  graph.plan();
}

}  // namespace gt::capture

#endif
