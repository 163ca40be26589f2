#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "graph.hpp"
#include "overload.hpp"

#include <algorithm>

namespace gt::capture {

namespace {

// Whether the operator returns uninitialized memory, as empty does.
bool unfilled(std::string_view name) {
  return name == "aten::empty" || name == "aten::empty_strided" || name == "aten::empty_like" ||
         name == "aten::new_empty" || name == "aten::new_empty_strided";
}

// Whether the call, which writes to arguments, also returns results in new memory.
bool makes(const Call& c) {
  const auto of_args = memory_of_args(c);
  return std::any_of(c.made.begin(), c.made.end(), [&](const at::Tensor& t) { return !of_args.count(storage(t)); });
}

// Whether an overload that writes to given results may replace the call. Each result of the
// call must have its own memory.
bool takes_results(const Call& c) {
  if (c.outs.size() != c.made.size() || c.op->hasTag(at::Tag::nondeterministic_seeded)) return false;
  for (const IValue& o : c.outs) {
    if (!o.isTensor() || o.toTensor().storage_offset() != 0) return false;
  }
  // The overload does not set the conjugation and negation flags of its results.
  return std::none_of(c.made.begin(), c.made.end(), [](const at::Tensor& t) { return t.is_conj() || t.is_neg(); });
}

// Replaces the call with an overload that writes to the recorded results, if there is
// one.
bool write_to_results(Call& c) {
  if (!takes_results(c)) return false;
  if (c.op->schema().name() == "aten::relu") {  // relu's kernel calls clamp_min
    c.op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::clamp_min", "out");
    c.args.insert(c.args.end(), {c10::Scalar(0), c.outs[0]});
    return true;
  }
  const auto o = out_overload(*c.op);
  if (!o || !(known(o->schema().name(), o->schema().overload_name()) || same_results(*o, c))) return false;
  c.op = *o;
  c.args.insert(c.args.end(), c.outs.begin(), c.outs.end());
  return true;
}

}  // namespace

std::vector<size_t> undeclared(const c10::OperatorHandle& op) {
  const std::string& name = op.schema().name();
  if (name == "aten::native_batch_norm" || name == "aten::_batch_norm_impl_index") return {3, 4};
  if (name == "aten::batch_norm_update_stats") return {1, 2};
  return {};
}

bool constant(const Call& c) {
  const std::string_view name = c.op->schema().name();
  for (const char* of_shape : {"aten::zeros_like", "aten::ones_like", "aten::full_like", "aten::new_zeros",
                               "aten::new_ones", "aten::new_full"}) {
    if (name == of_shape) return true;
  }
  for (const char* of_numbers : {"aten::zeros", "aten::ones", "aten::full", "aten::scalar_tensor", "aten::arange",
                                 "aten::eye", "aten::linspace"}) {
    if (name != of_numbers) continue;
    bool numbers = true;  // Overloads that take tensors instead of numbers do not count.
    for (const IValue& a : c.args) tensors(a, [&](const at::Tensor&) { numbers = false; });
    return numbers;
  }
  return false;
}

std::unordered_set<c10::StorageImpl*> memory_of_args(const Call& c) {
  std::unordered_set<c10::StorageImpl*> memory;
  for (const IValue& a : c.args) tensors(a, [&](const at::Tensor& t) { memory.insert(storage(t)); });
  return memory;
}

void Graph::find_written() {
  const auto insert = [&](const at::Tensor& t) { written_.insert(storage(t)); };
  for (const Call& c : calls) {
    if (c.how == How::host) {
      for (const at::Tensor& t : c.host->writes) insert(t);
    } else if (c.writes) {
      const auto& args = c.op->schema().arguments();
      for (size_t i = 0; i < args.size(); i++) {
        const auto* alias = args[i].alias_info();
        if (alias && alias->isWrite()) tensors(c.args[i], insert);
      }
    }
    for (const size_t i : c.op && !c.fused ? undeclared(*c.op) : std::vector<size_t>()) tensors(c.args[i], insert);
  }
  for (const External& e : externals) {
    if (written_.count(e.memory)) written_outside_.insert(e.memory);
  }
}

void Graph::choose() {
  find_written();
  std::unordered_set<c10::StorageImpl*> read;
  for (const Call& c : calls) {
    if (!c.views) read.merge(memory_of_args(c));
  }
  for (Call& c : calls) {
    if (c.how == How::host || c.fused) continue;
    if (c.writes) {
      // The tensor already has the shape that the call gave it during the recording.
      if (c.op->hasTag(at::Tag::inplace_view)) c.how = How::skip;
      else if (makes(c)) c.how = How::swap;
    } else if (c.views) {
      c.how = How::skip;
    } else {
      c.how = choose_how(c, read);
    }
  }
}

How Graph::choose_how(Call& c, const std::unordered_set<c10::StorageImpl*>& read) {
  const auto of_args = memory_of_args(c);
  std::unordered_set<c10::StorageImpl*> memory;  // of the results
  bool separate = !c.made.empty();               // each result has memory of its own
  bool held_or_written = false;                  // something else holds a result, or the step writes to one
  for (const at::Tensor& t : c.made) {
    separate = separate && !of_args.count(storage(t)) && memory.insert(storage(t)).second;
    held_or_written = held_or_written || written_.count(storage(t)) || escapes_.count(storage(t));
  }
  if (!separate) return How::copy;
  const std::string& name = c.op->schema().name();
  if (unfilled(name)) {
    for (auto* s : memory) {
      if (written_.count(s) || (!read.count(s) && !escapes_.count(s))) continue;
      failed_at = c.stack;
      TORCH_CHECK(false, name, " returns memory that no operator of the step fills, and a replay would not either");
    }
    return How::skip;
  }
  // In a larger step, storing constants costs more memory than is worthwhile.
  if (small_ && !held_or_written && constant(c)) {
    constants_.insert(memory.begin(), memory.end());
    made_.insert(memory.begin(), memory.end());
    return How::skip;
  }
  return write_to_results(c) ? How::out : How::swap;
}

}  // namespace gt::capture

#endif
