#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "graph.hpp"
#include "own.hpp"

namespace gt::capture {

namespace {

// A step is small if the total size of its results is less than this.
constexpr size_t kSmallStep = size_t{1} << 20;

size_t bytes_of_results(const std::vector<Call>& calls) {
  size_t bytes = 0;
  for (const Call& c : calls) {
    for (const at::Tensor& t : c.made) bytes += t.numel() * t.element_size();
  }
  return bytes;
}

}  // namespace

void Graph::find_escapes() {
  std::unordered_map<c10::StorageImpl*, std::pair<int64_t, at::Tensor>> held;
  std::unordered_set<c10::TensorImpl*> aliases;  // an alias may occur several times, but counts once
  auto count = [&](const at::Tensor& t) {
    if (!aliases.insert(t.unsafeGetTensorImpl()).second) return;
    auto& h = held[storage(t)];
    h.first++;
    h.second = t;
  };
  for (const Call& c : calls) {
    for (const auto* values : {&c.args, &c.outs}) {
      for (const IValue& v : *values) tensors(v, count);
    }
  }
  for (const auto& [s, h] : held) {
    if (static_cast<int64_t>(h.second.storage().use_count()) > h.first) escapes_.insert(s);
  }
}

void Graph::plan() {
  at::AutoDispatchBelowADInplaceOrView below;
  small_ = bytes_of_results(calls) < kSmallStep;
  find_escapes();
  choose();
  place();
  stats.calls = static_cast<int64_t>(calls.size());
  for (Call& c : calls) {
    stats.replayed += c.how != How::skip;
    if (!c.fused && (c.how == How::out || c.how == How::write)) {
      const auto& schema = c.op->schema();
      c.direct = own_elements(c);
      if (!c.direct) c.direct = direct(schema.name(), schema.overload_name(), c.args);
      c.product = own_product(c);
    }
    if (c.how != How::out) continue;
    for (const at::Tensor& t : c.made) c.places.push_back({storage(t)->mutable_data(), t.numel()});
  }
  if (renews) find_fresh();
}

}  // namespace gt::capture

#endif
