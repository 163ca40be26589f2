#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "graph.hpp"

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>

namespace gt::capture {

namespace {

bool is(const at::Tensor& t, const at::Tensor& other) { return t.unsafeGetTensorImpl() == other.unsafeGetTensorImpl(); }

int64_t uses(const at::Tensor& t) { return static_cast<int64_t>(t.use_count()); }

}  // namespace

// Finds the gradients that the step creates. Without a graph, each step would create new tensors for them.
void Graph::find_fresh() {
  for (size_t i = 0; i < leaves.size(); i++) {
    const Leaf& l = leaves[i];
    if (!l.touched || !l.after.defined() || !l.after.has_storage() || (l.needs_before && l.before)) continue;
    auto* s = storage(l.after);
    if (!made_.count(s)) continue;  // the gradient's memory belongs to the program
    const auto same = [&](const Fresh& f) { return f.memory == s; };
    auto it = std::find_if(fresh_.begin(), fresh_.end(), same);
    if (it == fresh_.end()) it = fresh_.insert(fresh_.end(), Fresh{s, {}});
    it->leaves.push_back(i);
  }
  std::unordered_set<c10::TensorImpl*> counted;
  const auto count = [&](const at::Tensor& t) {
    auto* s = storage(t);
    if (std::none_of(fresh_.begin(), fresh_.end(), [&](const Fresh& f) { return f.memory == s; })) return;
    if (counted.insert(t.unsafeGetTensorImpl()).second) refs.add(s);
  };
  for (const Fresh& f : fresh_) {
    for (const size_t i : f.leaves) counted.insert(leaves[i].after.unsafeGetTensorImpl());
  }
  for (const Call& c : calls) {
    for (const auto* values : {&c.args, &c.outs}) {
      for (const IValue& v : *values) tensors(v, count);
    }
  }
  for (const at::Tensor& t : results) {
    if (t.has_storage()) count(t);
  }
}

// Whether anything except graphs and leaves holds a gradient of f.
bool Graph::held(const Fresh& f) const {
  std::unordered_set<const c10::TensorImpl*> tensors;
  const auto more = [&](int64_t uses, const void* of, int64_t others) {
    return uses - others > refs.count(of) && uses - others > Refs::all(of);
  };
  for (const size_t i : f.leaves) {
    const Leaf& l = leaves[i];
    tensors.insert(l.after.unsafeGetTensorImpl());
    if (more(uses(l.after), l.after.unsafeGetTensorImpl(), is(l.tensor.grad(), l.after))) return true;
  }
  const auto& memory = leaves[f.leaves[0]].after.storage();
  return more(static_cast<int64_t>(memory.use_count()), f.memory, static_cast<int64_t>(tensors.size()));
}

// Gives the graph new storage for gradients. The old storage, which the program still
// holds, keeps the last replay's gradients. Its data moves to separate memory, because
// other results of the graph overlap it.
void Graph::renew(Fresh& f) {
  const auto release = std::find(anew_.begin(), anew_.end(), f.memory);
  const size_t bytes = f.memory->nbytes();
  c10::DataPtr place(nullptr, c10::Device(c10::kCPU));
  if (release == anew_.end()) {
    c10::DataPtr copy = c10::GetCPUAllocator()->allocate(bytes);
    if (bytes) std::memcpy(copy.mutable_get(), f.memory->data(), bytes);
    place = f.memory->set_data_ptr(std::move(copy));
  }
  c10::Storage memory(c10::Storage::use_byte_size_t(), bytes, std::move(place), c10::GetCPUAllocator(),
                      /*resizable=*/true);
  auto* const was = f.memory;
  auto* const now = memory.unsafeGetStorageImpl();
  const c10::Storage keep = leaves[f.leaves[0]].after.storage();  // keeps it until all tensors have moved
  const auto moved = [&](const at::Tensor& t) {
    if (storage(t) == was) t.unsafeGetTensorImpl()->set_storage_keep_dtype(memory);
  };
  versions.erase(std::remove_if(versions.begin(), versions.end(), [&](const auto& v) { return v.second == was; }),
                 versions.end());
  for (const size_t i : f.leaves) {
    Leaf& l = leaves[i];
    const at::Tensor old = l.after;
    if (storage(old) != was) continue;  // moved already, because another leaf has the same gradient
    at::Tensor fresh = old.tensor_data();
    fresh.unsafeGetTensorImpl()->set_storage_keep_dtype(memory);
    versions.emplace_back(fresh.unsafeGetTensorImpl()->version_counter(), now);
    for (Call& c : calls) {
      if (!c.host) continue;
      for (at::Tensor& g : c.host->grads) {
        if (g.defined() && is(g, old)) g = fresh;
      }
    }
    for (const size_t k : f.leaves) {
      if (is(leaves[k].after, old)) leaves[k].after = fresh;
    }
    refs.move(old.unsafeGetTensorImpl(), fresh.unsafeGetTensorImpl());
  }
  for (Call& c : calls) {
    for (const auto* values : {&c.args, &c.outs}) {
      for (const IValue& v : *values) tensors(v, moved);
    }
    std::replace(c.allocate_before.begin(), c.allocate_before.end(), was, now);
    std::replace(c.free_after.begin(), c.free_after.end(), was, now);
  }
  for (const at::Tensor& t : results) moved(t);
  if (release != anew_.end()) *release = now;
  for (auto* set : {&escapes_, &made_, &written_, &copied_in_place_}) {
    if (set->erase(was)) set->insert(now);
  }
  refs.move(was, now);
  f.memory = now;
}

}  // namespace gt::capture

#endif
