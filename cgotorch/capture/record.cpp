#include "record.hpp"

#include "refuse.hpp"
#include "slots.hpp"

#include <ATen/autocast_mode.h>

#include <sstream>

namespace gt::capture {

namespace {

// Another TensorImpl over the same memory: autograd takes a gradient over, and writes to
// one, only if nobody else holds its TensorImpl. A tensor that a call has twice it has twice again: some
// kernels ask.
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

std::string Recorder::describe(const at::Tensor& t) {
  std::ostringstream out;
  if (!t.defined()) return "no tensor";
  out << t.scalar_type() << t.sizes() << " of strides " << t.strides() << ", ";
  if (t.unsafeGetTensorImpl()->is_wrapped_number()) {
    out.precision(17);
    // Read here, not by the dispatcher, which would record it.
    if (t.scalar_type() == at::kDouble) out << *static_cast<const double*>(t.const_data_ptr());
    else if (t.scalar_type() == at::kLong) out << *static_cast<const int64_t*>(t.const_data_ptr());
    else if (t.scalar_type() == at::kBool) out << *static_cast<const bool*>(t.const_data_ptr());
    else if (t.scalar_type() == at::kComplexDouble) out << *static_cast<const c10::complex<double>*>(t.const_data_ptr());
    else out << "a number";
    return out.str();
  }
  auto* s = storage(t);
  auto& name = names_[s];
  if (name.empty()) {
    name = c10::str("memory ", static_cast<const void*>(s), " from outside of the step");
    held_.emplace_back(t.storage().getWeakStorageImpl());
  }
  out << "from " << t.storage_offset() << " in " << name;
  return out.str();
}

std::string Recorder::describe(const IValue& v) {
  std::ostringstream out;
  out.precision(17);
  if (v.isTensor()) return describe(v.toTensor());
  if (v.isGenerator()) {
    out << "generator " << static_cast<const void*>(v.toGenerator().unsafeGetGeneratorImpl());
  } else if (v.isOptionalTensorList()) {
    for (const std::optional<at::Tensor>& t : v.toOptionalTensorList()) out << describe(t ? *t : at::Tensor()) << "; ";
  } else if (v.isList()) {
    for (const IValue& e : v.toListRef()) out << describe(e) << "; ";
  } else if (v.isDouble()) {
    out << v.toDouble();
  } else {
    out << v;
  }
  return out.str();
}

// Whether the step is within autocast that keeps casts of weights, which would be of weights that have changed.
bool Recorder::casts_kept() const { return began_.autocast && at::autocast::is_autocast_cache_enabled(); }

// Casts of weights that autocast keeps from before would be memory from outside, and weights change. The
// table is the process's, of which the goroutine has the use.
static void forget_casts() {
  if (at::autocast::is_autocast_enabled(at::kCPU) && at::autocast::is_autocast_cache_enabled()) at::autocast::clear_cache();
}

void Recorder::begin(uint32_t generator) {
  TORCH_CHECK(pass_ != Pass::record, "a recording has two passes");
  generator_ = generator;
  began_ = settings_now();
  forget_casts();
  if (pass_ == Pass::rehearsal) {
    for (Leaf& l : graph.leaves) l.begin();
    // The next pass makes all of it again; what was there before is still where it was. Until here
    // the calls were kept as they are in the next pass, since autograd adds gradients in place or not
    // by how many hold the memory.
    graph.calls.clear();
    live_.clear();
    for (auto it = names_.begin(); it != names_.end();) {
      it = within_.count(it->first) ? names_.erase(it) : std::next(it);
    }
    within_.clear();
    outside_.clear();
    views_.clear();
    results_ = 0;
    pass_ = Pass::record;
  } else {
    pass_ = Pass::rehearsal;
    enter(number, this);
  }
}

void Recorder::compare(const Seen& now) {
  if (pass_ == Pass::rehearsal) {
    rehearsed_.push_back(now);
    return;
  }
  const char* unlike = "the step was run twice to capture it, and the second time was not like the first: ";
  TORCH_CHECK(next_ < rehearsed_.size(), unlike, now.name, " is one operator more");
  const Seen& was = rehearsed_[next_++];
  TORCH_CHECK(was.name == now.name, unlike, "operator ", next_ - 1, " was ", was.name, " and then ", now.name);
  for (size_t i = 0; i < was.args.size() && i < now.args.size(); i++) {
    TORCH_CHECK(was.args[i] == now.args[i], unlike, "argument ", i, " of ", now.name, " was ", was.args[i], " and then ", now.args[i],
                ". A number that changes has to be a tensor that the program fills before a replay, and so has data that Go makes");
  }
  TORCH_CHECK(was.args.size() == now.args.size(), unlike, now.name, " had ", was.args.size(), " arguments and then ", now.args.size());
}

Leaf* Recorder::leaf(const at::Tensor& t) {
  if (!t.defined() || !t.is_leaf() || (t.has_storage() && within_.count(storage(t)))) return nullptr;
  const auto found = leaf_index_.find(t.unsafeGetTensorImpl());
  if (found != leaf_index_.end()) return &graph.leaves[found->second];
  if (pass_ == Pass::record) return nullptr;  // it is one of the step's own, over memory from outside
  leaf_index_.emplace(t.unsafeGetTensorImpl(), graph.leaves.size());
  graph.leaves.emplace_back(t);
  return &graph.leaves.back();
}

void Recorder::looked(const at::Tensor& t) {
  std::lock_guard<std::mutex> lock(mutex_);
  const bool fixed = allowed([&] {
    TORCH_CHECK(!within_.count(storage(t)) && !t.is_inference(), "an argument's values are looked at before the operator, which bad ones would end the process in, while a step is captured: a replay would not look");
  });
  if (fixed && pass_ == Pass::record) graph.looked.emplace_back(t, t._version());
}

void Recorder::gradient(const at::Tensor& t, Gradient what) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (Leaf* l = leaf(t)) {
    l->does(what);
  } else if (what == Gradient::set && !t.is_leaf() && !(t.has_storage() && within_.count(storage(t)))) {
    allowed([&] { TORCH_CHECK(false, "the gradient of a result from outside of the step is set, which a captured step cannot do"); });
  }
}

void Recorder::external(const at::Tensor& t) {
  auto* s = storage(t);
  if (within_.count(s) || !views_.insert(t.unsafeGetTensorImpl()).second) return;
  outside_.insert(s);
  if (pass_ == Pass::record) graph.externals.emplace_back(t);
}

void Recorder::made(const at::Tensor& original, const at::Tensor& kept, bool view) {
  auto* s = storage(kept);
  if (view) views_.insert(original.unsafeGetTensorImpl());
  if (view || !within_.insert(s).second) return;
  names_[s] = c10::str("result ", results_++);
  held_.emplace_back(kept.storage().getWeakStorageImpl());
  if (pass_ == Pass::record && !original.is_inference()) {
    graph.versions.push_back(original.unsafeGetTensorImpl()->version_counter());
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
    live_.clear();
    return false;
  }
}

void Recorder::spoil(const char* what) {
  std::lock_guard<std::mutex> lock(mutex_);
  allowed([&] { TORCH_CHECK(false, what, " while a step is captured: a replay would repeat what it saw this time"); });
}

// Frees what nothing but the recording holds any more, so that a step needs no more memory than
// one that is not recorded, or hardly: all that lives is looked at, and where that are many, not at each call but
// for a sixty-fourth of them. The plan asks for sizes alone.
void Recorder::release() {
  if (++unlooked_ < live_.size() / 64) return;
  unlooked_ = 0;
  for (auto it = live_.begin(); it != live_.end();) {
    if (static_cast<int64_t>(c10::raw::intrusive_ptr::use_count(it->first)) > it->second) {
      ++it;
      continue;
    }
    it->first->set_data_ptr_noswap(c10::DataPtr(nullptr, c10::Device(c10::kCPU)));
    it = live_.erase(it);
  }
}

void Recorder::call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const auto& schema = op.schema();
  const size_t n_args = schema.arguments().size(), n_outs = schema.returns().size();
  const c10::DispatchKeySet below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kCaptureKey);
  // Where autograd is left out, operators that consist of others come here whole. Their parts are
  // recorded, as they are below autograd.
  if (!op.hasKernelForDispatchKey(c10::DispatchKey::CPU) && op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) {
    op.redispatchBoxed(below, stack);
    return;
  }
  Unrecorded all;
  bool data = n_outs == 0;
  for (const auto& r : schema.returns()) {
    data = data || r.type()->kind() == c10::TypeKind::TensorType || r.type()->kind() == c10::TypeKind::ListType;
  }
  if (!data) {  // a question about a tensor, which is of the same answer each time unless it is about values
    {
      std::lock_guard<std::mutex> lock(mutex_);
      allowed([&] { refuse(op, *stack); });
    }
    op.redispatchBoxed(below, stack);
    return;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (!allowed([&] { refuse(op, *stack); })) {
    op.redispatchBoxed(below, stack);
    return;
  }
  Call c;
  c.op = op;
  c.keys = below;
  c.stack = GT_CTX_STACK(tl_ctx);
  c.writes = schema.is_mutable();
  Seen seen{toString(op.operator_name()), {}};
  const Settings now = settings_now();
  c.grad = now.grad, c.inference = now.inference;
  Aliases aliases;
  std::unordered_set<c10::StorageImpl*> of_args;
  std::vector<std::pair<at::Tensor, size_t>> sized;  // what it may write to, and the bytes of that
  for (auto it = stack->end() - static_cast<int64_t>(n_args); it != stack->end(); ++it) {
    seen.args.push_back(describe(*it));
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
      TORCH_CHECK(!casts_kept() || !t.requires_grad() || within_.count(storage(t)), seen.name, " writes to a weight within autocast, which keeps the casts of "
                  "weights from one step to the next: put autocast into the step");
    }
    TORCH_CHECK(now.same_kernels(began_), seen.name, " is called with another precision, oneDNN, attention kernels or "
                "deterministic algorithms than the step began with, which a captured step does not switch: set them around it");
    TORCH_CHECK(!op.hasTag(at::Tag::nondeterministic_seeded) || GT_CTX_GENERATOR(tl_ctx) == generator_, seen.name,
                " draws from a generator that the step sets, which a replay would not: set it around the step");
    TORCH_CHECK(!op.hasTag(at::Tag::inplace_view) || within_.count(storage(c.args[0].toTensor())), seen.name,
                " lays a tensor from outside of the step out otherwise, which a replay would not do");
    compare(seen);
  });
  release();  // what the step has dropped since the last call
  op.redispatchBoxed(below, stack);
  const auto results = stack->end() - static_cast<int64_t>(n_outs);
  const bool fixed = alike && allowed([&] {
    for (const auto& [t, bytes] : sized) {
      TORCH_CHECK(storage(t)->nbytes() == bytes, seen.name, " gave an argument other memory, which a captured step cannot do");
    }
    for (auto it = results; it != stack->end(); ++it) {
      tensors(*it, [&](const at::Tensor& t) {
        TORCH_CHECK(t.device().is_cpu() && t.layout() == at::kStrided && t.has_storage() && !t.is_nested() && !t.is_quantized(), seen.name,
                    " has a result that is not dense on the CPU, and cannot be captured");
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
      if (!t.is_inference()) graph.versions.push_back(t.unsafeGetTensorImpl()->version_counter());
    }
  }
  if (!constant(c)) {
    for (const at::Tensor& t : c.made) {
      if (!of_args.count(storage(t))) live_.emplace(storage(t), 0);
    }
  }
  aliases.each([&](const at::Tensor& t) {
    if (auto it = live_.find(storage(t)); it != live_.end()) it->second++;
  });
  graph.calls.push_back(std::move(c));
  release();
}

void Recorder::host(std::shared_ptr<HostStep> step) {
  std::lock_guard<std::mutex> lock(mutex_);
  Call c;
  c.how = How::host;
  c.stack = GT_CTX_STACK(tl_ctx);
  const bool dense = allowed([&] {
    TORCH_CHECK(!casts_kept(), step->name(), " is captured within autocast, which keeps the casts of weights from one step to the next: put autocast into the step");
    for (const auto* list : {&step->params, &step->grads, &step->reads, &step->writes}) {
      for (const at::Tensor& t : *list) {
        TORCH_CHECK(!t.defined() || (t.has_storage() && t.layout() == at::kStrided), step->name(), " with a tensor that is not dense cannot be captured");
      }
    }
  });
  if (!dense) return;
  Seen seen{step->name(), {}};
  for (const auto* list : {&step->params, &step->grads, &step->reads, &step->writes}) {
    for (const at::Tensor& t : *list) {
      seen.args.push_back(describe(t));
      if (!t.defined()) continue;
      if (t.requires_grad()) leaf(t);
      external(t);
    }
  }
  for (const at::Tensor& t : step->params) {
    if (Leaf* l = leaf(t)) l->does(Gradient::read);
  }
  if (!allowed([&] { compare(seen); })) return;
  c.host = std::move(step);
  for (const auto* list : {&c.host->params, &c.host->grads, &c.host->reads, &c.host->writes}) {
    for (const at::Tensor& t : *list) {
      if (t.defined()) live_.erase(storage(t));
    }
  }
  graph.calls.push_back(std::move(c));
}

void Recorder::end(const gt_tensor* inputs, int64_t n) {
  TORCH_CHECK(pass_ == Pass::record, "a recording has two passes");
  enter(number, nullptr);
  forget_casts();
  unlooked_ = live_.size();
  release();
  live_.clear();
  TORCH_CHECK(failure_.empty(), failure_);
  TORCH_CHECK(next_ == rehearsed_.size(), "the step was run twice to capture it, and the second time was not like the first: ",
              rehearsed_[next_].name, " is missing");
  TORCH_CHECK_VALUE(!graph.calls.empty(), "the step calls no operator");
  for (int64_t i = 0; i < n; i++) {
    TORCH_CHECK_VALUE(outside_.count(storage(as(inputs[i]))), "input ", i,
                      " is not read by the step: it has to be the tensor itself that the function uses, and no copy");
  }
  for (Leaf& l : graph.leaves) {
    l.after = l.tensor.grad();
    l.memory = l.tensor.has_storage() ? storage(l.tensor) : nullptr;
    l.requires_grad = l.tensor.requires_grad();
    l.hooks = hooks_of(l.tensor);
  }
  for (External& e : graph.externals) e.requires_grad = e.tensor.requires_grad();  // as the step leaves it
  graph.settings = settings_now();
  rehearsed_ = {};
  names_ = {};
  held_ = {};
  leaf_index_ = {};
  graph.plan();
}

}  // namespace gt::capture
