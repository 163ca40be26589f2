#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "record.hpp"

#include "refuse.hpp"

#include <ATen/ops/copy_ops.h>

namespace gt::capture {

namespace {

// Fails if the operator has given an argument different memory, or returned something
// that a graph cannot hold.
void check_results(const c10::OperatorHandle& op, c10::ArrayRef<IValue> results, const Sizes& written) {
  const auto name = [&] { return toString(op.operator_name()); };
  for (const auto& [t, bytes] : written) {
    TORCH_CHECK(storage(t)->nbytes() == bytes, name(),
                " changed the memory of an argument, which cannot be captured");
  }
  for (const IValue& v : results) {
    tensors(v, [&](const at::Tensor& t) {
      TORCH_CHECK(
          t.device().is_cpu() && t.layout() == at::kStrided && t.has_storage() && !t.is_nested() && !t.is_quantized(),
          name(), " has a result that is not dense on the CPU, and cannot be captured");
    });
  }
}

}  // namespace

void Recorder::given(at::TensorList copies, at::TensorList sources) {
  inputs_.clear();
  for (size_t i = 0; i < copies.size(); i++) {
    if (sources[i].has_storage() && !copies[i].is_alias_of(sources[i]))
      inputs_.push_back({i, copies[i].tensor_data(), sources[i]});
  }
}

// If the step wrote to an input's memory, copies the new values to the copy that the step
// uses.
void Recorder::follow(const std::unordered_set<c10::StorageImpl*>& written) {
  for (Given& g : inputs_) {
    if (!written.count(storage(g.source))) continue;
    at::_ops::copy_::call(g.copy, g.source.detach(), false);
    allowed([&] {
      TORCH_CHECK(false, "input ", g.index,
                  " shares memory with a tensor that the step writes to, but a graph reads its own copy of the input: "
                  "pass a copy, or use that tensor in the step instead of an input");
    });
  }
}

// Calls the operator. If it writes to the memory of inputs, updates the copies of these
// inputs.
void Recorder::run(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  std::unordered_set<c10::StorageImpl*> written;
  if (!inputs_.empty()) {
    const auto& args = op.schema().arguments();
    const auto first = stack->end() - static_cast<int64_t>(args.size());
    const auto note = [&](const at::Tensor& t) {
      if (t.has_storage()) written.insert(storage(t));
    };
    for (size_t i = 0; i < args.size(); i++) {
      if (args[i].alias_info() && args[i].alias_info()->isWrite()) tensors(first[i], note);
    }
    for (const size_t i : undeclared(op)) tensors(first[i], note);
  }
  op.redispatchBoxed(keys, stack);
  if (!written.empty()) follow(written);
}

void Recorder::call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const auto& schema = op.schema();
  const c10::DispatchKeySet below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kCaptureKey);
  // With autograd disabled, composite operators are not decomposed before they arrive
  // here. Run their code, so that the operators that it calls are recorded.
  if (!op.hasKernelForDispatchKey(c10::DispatchKey::CPU) &&
      op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) {
    op.redispatchBoxed(below, stack);
    return;
  }
  Unrecorded all;
  bool data = schema.returns().empty();
  for (const auto& r : schema.returns()) {
    data = data || r.type()->kind() == c10::TypeKind::TensorType || r.type()->kind() == c10::TypeKind::ListType;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  const bool recordable = allowed([&] { refuse(op, *stack); });
  // An operator without tensor data only asks for a property of a tensor. A replay would get the
  // same answer, unless the property depends on values.
  if (!data) {
    lock.unlock();
    op.redispatchBoxed(below, stack);
  } else if (recordable) {
    record(op, below, stack);
  } else {
    run(op, below, stack);
  }
}

void Recorder::record(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const auto n_args = static_cast<int64_t>(op.schema().arguments().size());
  const auto n_outs = static_cast<int64_t>(op.schema().returns().size());
  const Settings now = settings_now();
  Call c;
  c.op = op;
  c.keys = keys;
  c.stack = GT_CTX_STACK(tl_ctx);
  c.writes = op.schema().is_mutable();
  c.grad = now.grad, c.inference = now.inference;
  Seen seen(op, c.stack);
  Aliases aliases;
  std::unordered_set<c10::StorageImpl*> of_args;
  Sizes sizes;
  for (auto it = stack->end() - n_args; it != stack->end(); ++it) {
    describe(seen.argument(), *it);
    tensors(*it, [&](const at::Tensor& t) {
      if (t.requires_grad()) leaf(t);
      external(t);
      of_args.insert(storage(t));
      if (c.writes) sizes.emplace_back(t, storage(t)->nbytes());
    });
    c.args.push_back(aliases.of(*it));
  }
  const bool alike = allowed([&] {
    check_call(c, now, sizes);
    compare(std::move(seen));
  });
  release();  // frees results that the step has dropped since the last call
  run(op, keys, stack);
  const auto results = stack->end() - n_outs;
  if (!alike || !allowed([&] { check_results(op, torch::jit::last(*stack, n_outs), sizes); })) return;
  c.views = !c.writes && n_outs > 0;
  std::vector<at::Tensor> originals;
  for (auto it = results; it != stack->end(); ++it) {
    tensors(*it, [&](const at::Tensor& t) { originals.push_back(t); });
    c.outs.push_back(aliases.of(*it));
    tensors(c.outs.back(), [&](const at::Tensor& t) {
      c.made.push_back(t);
      c.views = c.views && of_args.count(storage(t));
    });
  }
  for (size_t i = 0; i < c.made.size(); i++) add_result(originals[i], c.made[i], of_args.count(storage(c.made[i])));
  add_versions(sizes);
  add_live(c, aliases, of_args);
  graph.calls.push_back(std::move(c));
  release();
}

void Recorder::check_call(const Call& c, const Settings& now, const Sizes& written) const {
  const auto& op = *c.op;
  const auto name = [&] { return toString(op.operator_name()); };
  for (const auto& [t, _] : written) {
    TORCH_CHECK(!casts_kept() || !t.requires_grad() || within_.count(storage(t)), name(),
                " writes to a weight within autocast, which keeps its casts of weights from step to step: put autocast "
                "into the step");
  }
  TORCH_CHECK(
      now.same_kernels(began_), name(),
      " runs under other settings (precision, oneDNN, attention kernels or deterministic algorithms) than the step "
      "began with: set them outside the step, because a replay does not switch them");
  TORCH_CHECK(!op.hasTag(at::Tag::nondeterministic_seeded) || GT_CTX_GENERATOR(tl_ctx) == generator_, name(),
              " draws from a generator that the step selects, which a replay would not do: select it outside the step");
  TORCH_CHECK(!op.hasTag(at::Tag::inplace_view) || within_.count(storage(c.args[0].toTensor())), name(),
              " changes the layout of a tensor from outside the step, which a replay would not do");
}

void Recorder::add_result(const at::Tensor& original, const at::Tensor& kept, bool view) {
  auto* s = storage(kept);
  if (view) views_.insert(original.unsafeGetTensorImpl());
  if (view || !within_.insert(s).second) return;
  names_[s] = results_++;
  held_.emplace_back(kept.storage().getWeakStorageImpl());
  if (pass_ == Pass::record && !original.is_inference()) {
    graph.versions.emplace_back(original.unsafeGetTensorImpl()->version_counter(), s);
  }
}

void Recorder::add_versions(const Sizes& written) {
  if (pass_ != Pass::record) return;
  for (const auto& [t, _] : written) {
    if (!t.is_inference()) graph.versions.emplace_back(t.unsafeGetTensorImpl()->version_counter(), storage(t));
  }
}

void Recorder::add_live(const Call& c, const Aliases& aliases, const std::unordered_set<c10::StorageImpl*>& of_args) {
  if (!constant(c)) {
    for (const at::Tensor& t : c.made) {
      if (!of_args.count(storage(t)) && live_.emplace(storage(t), 0).second) live_bytes_ += storage(t)->nbytes();
    }
  }
  aliases.each([&](const at::Tensor& t) {
    if (!within_.count(storage(t))) graph.refs.add(storage(t));
    if (auto it = live_.find(storage(t)); it != live_.end()) it->second++;
  });
}

// Frees the memory of results that only the recording holds, so that capturing a step
// needs hardly any additional memory: the layout needs only their sizes. A scan of all
// live results takes time, so it runs only if they use much memory, and less often the
// more results there are.
void Recorder::release() {
  constexpr size_t kLittle = size_t{1} << 20;
  if (live_bytes_ < kLittle || ++unlooked_ < live_.size() / 64) return;
  unlooked_ = 0;
  for (auto it = live_.begin(); it != live_.end();) {
    if (static_cast<int64_t>(c10::raw::intrusive_ptr::use_count(it->first)) > it->second) {
      ++it;
      continue;
    }
    live_bytes_ -= it->first->nbytes();
    drop_data(it->first);
    it = live_.erase(it);
  }
}

}  // namespace gt::capture

#endif
