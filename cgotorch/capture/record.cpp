#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "record.hpp"

#include "slots.hpp"

#include <ATen/autocast_mode.h>

namespace gt::capture {

// Whether the step runs in an autocast that caches its casts. A replay would use casts of old
// weights.
bool Recorder::casts_kept() const { return began_.autocast && at::autocast::is_autocast_cache_enabled(); }

void forget_casts() {
  if (at::autocast::is_autocast_enabled(at::kCPU) && at::autocast::is_autocast_cache_enabled())
    at::autocast::clear_cache();
}

void Recorder::begin(uint32_t generator) {
  generator_ = generator;
  began_ = settings_now();
  forget_casts();
  if (pass_ == Pass::rehearsal) {
    for (Leaf& l : graph.leaves) l.begin();
    // Forget the calls of the first pass, because the second pass records them again. They were
    // kept until here so that both passes hold the same references: autograd adds gradients in
    // place only if nothing else refers to their memory.
    graph.calls.clear();
    graph.refs.clear();
    live_.clear(), live_bytes_ = 0;
    forget_results();
    within_.clear();
    outside_.clear();
    views_.clear();
    results_ = 0;
    pass_ = Pass::record;
  } else if (pass_ == Pass::none) {
    pass_ = Pass::rehearsal;
  }
  enter(number, this);
}

Leaf* Recorder::leaf(const at::Tensor& t) {
  if (!t.defined() || !t.is_leaf() || (t.has_storage() && within_.count(storage(t)))) return nullptr;
  const auto found = leaf_index_.find(t.unsafeGetTensorImpl());
  if (found != leaf_index_.end()) return &graph.leaves[found->second];
  if (pass_ == Pass::record) return nullptr;  // the step has created it, in memory from outside
  leaf_index_.emplace(t.unsafeGetTensorImpl(), graph.leaves.size());
  graph.leaves.emplace_back(t);
  graph.leaves.back().begin();
  return &graph.leaves.back();
}

void Recorder::looked(const at::Tensor& t) {
  std::lock_guard<std::mutex> lock(mutex_);
  const bool fixed = allowed([&] {
    TORCH_CHECK(!within_.count(storage(t)) && !t.is_inference(),
                "the values of an argument must be checked before each call of this operator; a replay cannot do that");
  });
  if (fixed && pass_ == Pass::record) graph.looked.emplace_back(t, t._version());
}

void Recorder::gradient(const at::Tensor& t, Gradient what) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (Leaf* l = leaf(t)) {
    l->does(what);
  } else if (what == Gradient::set && !t.is_leaf() && !(t.has_storage() && within_.count(storage(t)))) {
    allowed([&] {
      TORCH_CHECK(false, "the step sets the gradient of a tensor from outside that is no leaf: it cannot be captured");
    });
  }
}

void Recorder::external(const at::Tensor& t) {
  auto* s = storage(t);
  if (within_.count(s) || !views_.insert(t.unsafeGetTensorImpl()).second) return;
  outside_.insert(s);
  if (pass_ != Pass::record) return;
  graph.externals.emplace_back(t);
  graph.refs.add(t.unsafeGetTensorImpl());
}

void Recorder::give_up(const c10::Error& e) {
  failed_at = GT_CTX_STACK(tl_ctx);
  if (!lenient) throw;
  failure_ = e.what_without_backtrace();
  graph.calls.clear();
  live_.clear(), live_bytes_ = 0;
}

void Recorder::spoil(const char* what) {
  std::lock_guard<std::mutex> lock(mutex_);
  allowed([&] { TORCH_CHECK(false, what, " while a step is being captured, and a replay would not do this again"); });
}

}  // namespace gt::capture

#endif
