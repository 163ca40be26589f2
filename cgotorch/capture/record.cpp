#include "record.hpp"

#include "refuse.hpp"
#include "slots.hpp"

#include <ATen/autocast_mode.h>
#include <ATen/ops/copy_ops.h>

#include <sstream>

namespace gt::capture {

namespace {

// Returns another TensorImpl with the same memory. Autograd takes over a gradient, and writes to one, only if
// nothing else holds its TensorImpl. If a call receives the same tensor twice, it stays the same tensor,
// because some kernels check.
class Aliases {
 public:
  at::Tensor of(const at::Tensor& t) {
    if (!t.defined()) return t;
    at::Tensor& alias = made_[t.unsafeGetTensorImpl()];
    if (!alias.defined()) alias = t.tensor_data();
    return alias;
  }

  IValue of(const IValue& v) {
    if (v.isTensor()) return of(v.toTensor());
    if (v.isTensorList()) {
      c10::List<at::Tensor> l;
      for (const at::Tensor& t : v.toTensorList()) l.push_back(of(t));
      return l;
    }
    if (v.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> l;
      for (const std::optional<at::Tensor>& t : v.toOptionalTensorList()) {
        l.push_back(t ? std::optional<at::Tensor>(of(*t)) : std::nullopt);
      }
      return l;
    }
    return v;
  }

  template <class F>
  void each(F f) const {
    for (const auto& [_, alias] : made_) f(alias);
  }

 private:
  std::unordered_map<c10::TensorImpl*, at::Tensor> made_;
};

}  // namespace

// Whether the step is in an autocast that caches casts of weights. These would be casts of weights that have
// changed.
bool Recorder::casts_kept() const { return began_.autocast && at::autocast::is_autocast_cache_enabled(); }

// Removes older casts from autocast's cache, which would be memory from outside the step whose
// weights change. The cache is process-wide, and only one goroutine at a time uses it.
static void forget_casts() {
  if (at::autocast::is_autocast_enabled(at::kCPU) && at::autocast::is_autocast_cache_enabled())
    at::autocast::clear_cache();
}

void Recorder::begin(uint32_t generator) {
  generator_ = generator;
  began_ = settings_now();
  forget_casts();
  if (pass_ == Pass::rehearsal) {
    for (Leaf& l : graph.leaves) l.begin();
    // Forget the calls of the first pass, because the second pass computes all of this again. They
    // were kept until here, as in the second pass, because autograd adds gradients in place or not
    // depending on how many references the memory has.
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
  if (pass_ == Pass::record) return nullptr;  // created by the step, over memory from outside
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
      TORCH_CHECK(false, "the gradient of a result from outside of the step is set, which a captured step cannot do");
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

void Recorder::made(const at::Tensor& original, const at::Tensor& kept, bool view) {
  auto* s = storage(kept);
  if (view) views_.insert(original.unsafeGetTensorImpl());
  if (view || !within_.insert(s).second) return;
  names_[s] = results_++;
  held_.emplace_back(kept.storage().getWeakStorageImpl());
  if (pass_ == Pass::record && !original.is_inference()) {
    graph.versions.emplace_back(original.unsafeGetTensorImpl()->version_counter(), s);
  }
}

template <class F>
bool Recorder::allowed(F check) {
  if (!failure_.empty()) return false;
  try {
    check();
    return true;
  } catch (const c10::Error& e) {
    failed_at = GT_CTX_STACK(tl_ctx);
    if (!lenient) throw;
    failure_ = e.what_without_backtrace();
    graph.calls.clear();
    live_.clear(), live_bytes_ = 0;
    return false;
  }
}

void Recorder::spoil(const char* what) {
  std::lock_guard<std::mutex> lock(mutex_);
  allowed([&] { TORCH_CHECK(false, what, " while a step is captured: a replay would repeat what it saw this time"); });
}

// Frees results that only the recording holds, so that a recorded step needs hardly more memory. It scans all
// live results, so it runs only if they use much memory, and not at each call if there are many. The layout
// needs only sizes.
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
    it->first->set_data_ptr_noswap(c10::DataPtr(nullptr, c10::Device(c10::kCPU)));
    it = live_.erase(it);
  }
}

void Recorder::given(at::TensorList copies, at::TensorList sources) {
  inputs_.clear();
  for (size_t i = 0; i < copies.size(); i++) {
    if (sources[i].has_storage() && !copies[i].is_alias_of(sources[i]))
      inputs_.push_back({i, copies[i].tensor_data(), sources[i]});
  }
}

// Updates the copies of inputs after the step wrote to the memory of those inputs, as without a graph.
void Recorder::follow(const std::unordered_set<c10::StorageImpl*>& written) {
  for (Given& g : inputs_) {
    if (!written.count(storage(g.source))) continue;
    at::_ops::copy_::call(g.copy, g.source.detach(), false);
    allowed([&] {
      TORCH_CHECK(false, "input ", g.index,
                  " shares memory with a tensor that the step writes to, and a graph has its own copy of the input: "
                  "pass a copy, "
                  "or use that tensor in the step without making it an input");
    });
  }
}

// Calls an operator, and updates copies of inputs that it writes to.
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
  const size_t n_args = schema.arguments().size(), n_outs = schema.returns().size();
  const c10::DispatchKeySet below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kCaptureKey);
  // If autograd is disabled, composite operators arrive here whole. Their parts are recorded, as below
  // autograd.
  if (!op.hasKernelForDispatchKey(c10::DispatchKey::CPU) &&
      op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) {
    op.redispatchBoxed(below, stack);
    return;
  }
  Unrecorded all;
  bool data = n_outs == 0;
  for (const auto& r : schema.returns()) {
    data = data || r.type()->kind() == c10::TypeKind::TensorType || r.type()->kind() == c10::TypeKind::ListType;
  }
  // The operator only asks something about a tensor. The answer is the same in each replay, unless
  // it depends on values.
  if (!data) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      allowed([&] { refuse(op, *stack); });
    }
    op.redispatchBoxed(below, stack);
    return;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (!allowed([&] { refuse(op, *stack); })) {
    run(op, below, stack);
    return;
  }
  Call c;
  c.op = op;
  c.keys = below;
  c.stack = GT_CTX_STACK(tl_ctx);
  c.writes = schema.is_mutable();
  Seen seen(op, c.stack);
  const Settings now = settings_now();
  c.grad = now.grad, c.inference = now.inference;
  const auto name = [&] { return toString(op.operator_name()); };
  Aliases aliases;
  std::unordered_set<c10::StorageImpl*> of_args;
  std::vector<std::pair<at::Tensor, size_t>> sized;  // tensors that it may write to, and their sizes in bytes
  for (auto it = stack->end() - static_cast<int64_t>(n_args); it != stack->end(); ++it) {
    describe(seen.argument(), *it);
    tensors(*it, [&](const at::Tensor& t) {
      if (t.requires_grad()) leaf(t);
      external(t);
      of_args.insert(storage(t));
      if (c.writes) sized.emplace_back(t, storage(t)->nbytes());
    });
    c.args.push_back(aliases.of(*it));
  }
  const bool alike = allowed([&] {
    for (const auto& [t, _] : sized) {
      TORCH_CHECK(!casts_kept() || !t.requires_grad() || within_.count(storage(t)), name(),
                  " writes to a weight within autocast, which keeps the casts of "
                  "weights from one step to the next: put autocast into the step");
    }
    TORCH_CHECK(
        now.same_kernels(began_), name(),
        " is called with another precision, oneDNN, attention kernels or "
        "deterministic algorithms than the step began with, which a captured step does not switch: set them around it");
    TORCH_CHECK(!op.hasTag(at::Tag::nondeterministic_seeded) || GT_CTX_GENERATOR(tl_ctx) == generator_, name(),
                " draws from a generator that the step sets, which a replay would not: set it around the step");
    TORCH_CHECK(!op.hasTag(at::Tag::inplace_view) || within_.count(storage(c.args[0].toTensor())), name(),
                " changes the layout of a tensor from outside of the step, which a replay would not do");
    compare(std::move(seen));
  });
  release();  // results that the step has dropped since the last call
  run(op, below, stack);
  const auto results = stack->end() - static_cast<int64_t>(n_outs);
  const bool fixed = alike && allowed([&] {
    for (const auto& [t, bytes] : sized) {
      TORCH_CHECK(storage(t)->nbytes() == bytes, name(),
                  " gave an argument other memory, which a captured step cannot do");
    }
    for (auto it = results; it != stack->end(); ++it) {
      tensors(*it, [&](const at::Tensor& t) {
        TORCH_CHECK(
            t.device().is_cpu() && t.layout() == at::kStrided && t.has_storage() && !t.is_nested() && !t.is_quantized(),
            name(), " has a result that is not dense on the CPU, and cannot be captured");
      });
    }
  });
  if (!fixed) return;
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
  for (size_t i = 0; i < c.made.size(); i++) made(originals[i], c.made[i], of_args.count(storage(c.made[i])));
  if (pass_ == Pass::record && c.writes) {
    for (const auto& [t, _] : sized) {
      if (!t.is_inference()) graph.versions.emplace_back(t.unsafeGetTensorImpl()->version_counter(), storage(t));
    }
  }
  if (!constant(c)) {
    for (const at::Tensor& t : c.made) {
      if (!of_args.count(storage(t)) && live_.emplace(storage(t), 0).second) live_bytes_ += storage(t)->nbytes();
    }
  }
  aliases.each([&](const at::Tensor& t) {
    if (!within_.count(storage(t))) graph.refs.add(storage(t));
    if (auto it = live_.find(storage(t)); it != live_.end()) it->second++;
  });
  graph.calls.push_back(std::move(c));
  release();
}

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
                " is captured within autocast, which keeps the casts of weights from one step to the next: put "
                "autocast into the step");
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

void Recorder::returned(at::TensorList results) {
  Seen seen("the end of the step", 0);
  for (const at::Tensor& t : results) {
    if (!t.has_storage()) return;  // rejected later
    describe(seen.argument(), t);
  }
  allowed([&] { compare(std::move(seen)); });
}

int32_t Recorder::fits() const {
  const bool ended = !number;
  int32_t fits = 0;
  for (const Leaf& l : graph.leaves) {
    if (!l.needs_before) continue;
    const at::Tensor& now = l.tensor.grad();
    if (!l.before || !ended) {
      if (l.before.has_value() != now.defined()) fits = 1;
    } else if (now.unsafeGetTensorImpl() != l.before->_unsafe_get_target()) {
      if (l.before->expired()) return -1;
      fits = 1;
    }
  }
  return fits;
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
                      " is not read by the step: it has to be the tensor itself that the function uses, and no copy");
  }
  for (Leaf& l : graph.leaves) {
    l.after = l.tensor.grad();
    if (l.after.defined()) graph.refs.add(l.after.unsafeGetTensorImpl());
    l.memory = l.tensor.has_storage() ? storage(l.tensor) : nullptr;
    l.requires_grad = l.tensor.requires_grad();
    l.hooks = hooks_of(l.tensor);
  }
  for (External& e : graph.externals) e.requires_grad = e.tensor.requires_grad();  // as at the end of the step
  graph.settings = settings_now();
  graph.renews = lenient;
  graph.results = results.vec();
  forget_results();
  leaf_index_ = {};
  inputs_ = {};
  graph.plan();
}

}  // namespace gt::capture
