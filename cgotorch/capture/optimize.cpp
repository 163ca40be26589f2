#include "rewrite.hpp"

#include <algorithm>

namespace gt::capture {

namespace {

// Whether an operator that may drop elements at random has the probability 0.
bool drops_nothing(const Call& c) {
  const auto& args = c.op->schema().arguments();
  for (size_t i = 0; i < args.size(); i++) {
    if (args[i].name() == "dropout_p") return c.args[i].isDouble() && c.args[i].toDouble() == 0;
  }
  return false;
}

}  // namespace

void Rewriter::run() {
  find_uses();
  for (size_t i = 0; i < g_.calls.size(); i++) {
    if (const auto it = ends_.find(i); it != ends_.end()) emit_group(groups_[it->second]);
    else if (!claimed_.count(i) && !start_group(i)) emit(g_.calls[i]);
    if (!claimed_.count(i)) release(i);
  }
  return_results();
}

void Rewriter::commit() {
  std::unordered_set<c10::StorageImpl*> results;
  for (const at::Tensor& t : g_.results) results.insert(storage(t));
  std::erase_if(g_.versions, [&](const auto& v) { return !results.count(v.second); });
  g_.calls = std::move(calls_);
  if (scratch_->memory.defined()) packed_.push_back(scratch_->memory);
  g_.packed = std::move(packed_);
  for (const size_t i : used_) g_.folded.emplace_back(g_.externals[i].tensor, g_.externals[i].tensor._version());
  g_.refs.clear();
  std::unordered_set<c10::StorageImpl*> outside;
  for (const External& e : g_.externals) {
    outside.insert(e.memory);
    g_.refs.add(e.tensor.unsafeGetTensorImpl());
  }
  std::unordered_set<c10::TensorImpl*> counted;
  for (const Call& c : g_.calls) {
    for (const auto* values : {&c.args, &c.outs}) {
      for (const IValue& v : *values) {
        tensors(v, [&](const at::Tensor& t) {
          if (outside.count(storage(t)) && counted.insert(t.unsafeGetTensorImpl()).second) g_.refs.add(storage(t));
        });
      }
    }
  }
  g_.optimized = true;
}

void Rewriter::find_uses() {
  for (const at::Tensor& t : g_.results) returned_.insert(storage(t));
  for (size_t i = 0; i < g_.externals.size(); i++) external_.emplace(g_.externals[i].memory, i);
  const bool require = std::any_of(g_.externals.begin(), g_.externals.end(),
                                   [](const External& e) { return e.requires_grad; });
  for (size_t i = 0; i < g_.calls.size(); i++) {
    const Call& c = g_.calls[i];
    TORCH_CHECK(!c.grad || !require, "the step records gradients: call it within NoGrad");
    TORCH_CHECK(c.how != How::host, "the step calls an optimizer or a function that is no operator");
    TORCH_CHECK(!c.op->hasTag(at::Tag::nondeterministic_seeded) || drops_nothing(c), name_of(c),
                " draws random numbers");
    for (const IValue& a : c.args) {
      tensors(a, [&](const at::Tensor& t) {
        last_[storage(t)] = i;
        if (!c.views && (uses_[storage(t)].empty() || uses_[storage(t)].back() != i)) uses_[storage(t)].push_back(i);
      });
    }
    if (!undeclared(*c.op).empty()) {
      TORCH_CHECK(c.args.size() > 5 && c.args[5].isBool() && !c.args[5].toBool(),
                  "the step trains batch normalization");
    }
    if (!c.writes) continue;
    const auto& args = c.op->schema().arguments();
    for (size_t k = 0; k < args.size(); k++) {
      if (!args[k].alias_info() || !args[k].alias_info()->isWrite()) continue;
      tensors(c.args[k], [&](const at::Tensor& t) {
        TORCH_CHECK(!external_.count(storage(t)), name_of(c), " writes to a tensor from outside the step");
        writes_[storage(t)].push_back(i);
      });
    }
  }
}

void Rewriter::return_results() {
  static const auto copy = c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", "");
  std::unordered_set<c10::TensorImpl*> done;
  for (const at::Tensor& t : g_.results) {
    const at::Tensor& now = value(t).tensor;
    if (storage(now) == storage(t) || !done.insert(t.unsafeGetTensorImpl()).second) continue;
    call(g_.calls.back(), copy, c10::DispatchKeySet(c10::DispatchKey::CPU), {t.tensor_data(), use(value(t)), false});
  }
}

std::string Graph::optimize(const std::unordered_set<c10::StorageImpl*>& inputs, at::ScalarType precision) {
  at::AutoDispatchBelowADInplaceOrView below;
  const at::NoGradGuard no_gradients;
  try {
    Rewriter r(*this, inputs, precision);
    r.run();
    r.commit();
    return precision == at::kFloat || computes_bfloat16() ? "" : "the processor does not compute in bfloat16";
  } catch (const c10::Error& e) {
    return e.what_without_backtrace();
  } catch (const std::exception& e) {
    return e.what();
  }
}

std::string Graph::kernel(const Call& c) {
  if (c.how == How::host) return c.host->name();
  if (c.fused) return c.fused->name();
  return toString(c.op->operator_name());
}

}  // namespace gt::capture

