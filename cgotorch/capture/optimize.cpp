#include "fused.hpp"

#include <ATen/TensorIterator.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/rsqrt.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace gt::capture {

namespace {

using Key = std::vector<int64_t>;

// Identifies a tensor in the recording, which has several handles to it.
Key key(const at::Tensor& t) {
  Key k{reinterpret_cast<int64_t>(storage(t)), t.storage_offset(), static_cast<int64_t>(t.scalar_type())};
  k.insert(k.end(), t.sizes().begin(), t.sizes().end());
  k.insert(k.end(), t.strides().begin(), t.strides().end());
  return k;
}

// A tensor of the new plan that takes the place of a recorded one.
struct Value {
  at::Tensor tensor;
  bool constant = false;     // the same in each replay
  bool live = false;         // it is in memory from outside, so it follows changes
  std::set<size_t> from;     // for a constant: the externals that it was computed from
};

// Operators that compute the same for any strides of their arguments.
bool any_strides(const std::string& name) {
  static const std::unordered_set<std::string> names{
      "aten::add",        "aten::sub",       "aten::mul",         "aten::div",       "aten::relu",
      "aten::relu_",      "aten::add_",      "aten::mul_",        "aten::sub_",      "aten::div_",
      "aten::sigmoid",    "aten::tanh",      "aten::silu",        "aten::silu_",     "aten::gelu",
      "aten::hardswish",  "aten::hardtanh",  "aten::hardsigmoid", "aten::hardtanh_", "aten::hardswish_",
      "aten::leaky_relu", "aten::elu",       "aten::clamp",       "aten::clamp_min", "aten::exp",
      "aten::mean",       "aten::sum",       "aten::cat",         "aten::avg_pool2d", "aten::convolution",
      "aten::max_pool2d_with_indices", "aten::_adaptive_avg_pool2d", "aten::native_batch_norm",
      "aten::constant_pad_nd", "aten::upsample_nearest2d", "aten::upsample_bilinear2d", "aten::softplus",
      "aten::mish",       "aten::sigmoid_",  "aten::hardsigmoid_", "aten::square",   "aten::clone"};
  return names.count(name) != 0;
}

// Whether two tensors of the same sizes have the same strides where these matter.
bool same_strides(const at::Tensor& a, at::IntArrayRef strides) {
  for (int64_t i = 0; i < a.dim(); i++) {
    if (a.size(i) != 1 && a.stride(i) != strides[i]) return false;
  }
  return true;
}

const std::string& name_of(const Call& c) { return c.op->schema().name(); }

// Whether the allocator of the CPU owns the memory.
bool allocated(c10::StorageImpl* memory) {
  return memory->data_ptr().get_deleter() == c10::GetCPUAllocator()->raw_deleter();
}

bool is_dense_float(const at::Tensor& t) { return t.defined() && t.scalar_type() == at::kFloat && t.device().is_cpu(); }

// Layers that become one call, from the recorded calls `first` to `last`.
struct Group {
  Layer layer;
  std::set<size_t> from;  // externals of the folded weights
  size_t first, last;
  at::Tensor result;      // the recorded result
};

// Whether an operator that may drop elements at random has the probability 0.
bool drops_nothing(const Call& c) {
  const auto& args = c.op->schema().arguments();
  for (size_t i = 0; i < args.size(); i++) {
    if (args[i].name() == "dropout_p") return c.args[i].isDouble() && c.args[i].toDouble() == 0;
  }
  return false;
}

struct Activation {
  Act act;
  float low = 0, high = 0;
};

std::optional<Activation> activation(const Call& c) {
  std::string name = name_of(c);
  if (name.back() == '_') name.pop_back();
  static const std::unordered_map<std::string, Act> plain{
      {"aten::relu", Act::relu},       {"aten::hardswish", Act::hardswish}, {"aten::hardsigmoid", Act::hardsigmoid},
      {"aten::silu", Act::silu},       {"aten::sigmoid", Act::sigmoid},     {"aten::tanh", Act::tanh}};
  if (!c.op->schema().overload_name().empty()) return {};
  if (const auto it = plain.find(name); it != plain.end()) return Activation{it->second};
  if (name == "aten::gelu") {
    return Activation{c.args.size() > 1 && c.args[1].toStringRef() == "tanh" ? Act::gelu_tanh : Act::gelu};
  }
  if (name == "aten::hardtanh")
    return Activation{Act::clamp, c.args[1].toScalar().to<float>(), c.args[2].toScalar().to<float>()};
  return {};
}

class Rewriter {
 public:
  Rewriter(Graph& g, const std::unordered_set<c10::StorageImpl*>& inputs) : g_(g), inputs_(inputs) {}

  void run() {
    find_uses();
    for (size_t i = 0; i < g_.calls.size(); i++) {
      if (const auto it = ends_.find(i); it != ends_.end()) emit_group(groups_[it->second]);
      else if (!claimed_.count(i) && !start_group(i)) emit(g_.calls[i]);
      if (!claimed_.count(i)) release(i);
    }
    return_results();
  }

  // Puts the new calls in place of the recorded ones.
  void commit() {
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

 private:
  // --- the recorded calls -----------------------------------------------------

  void find_uses() {
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

  bool written_between(const at::Tensor& t, size_t after, size_t before) const {
    const auto it = writes_.find(storage(t));
    return it != writes_.end() && std::any_of(it->second.begin(), it->second.end(),
                                              [&](size_t i) { return i > after && i < before; });
  }

  // --- values -----------------------------------------------------------------

  // Whether the value of a tensor from outside can be used in advance: its changes must be noticed.
  bool foldable(const External& e) const {
    return !inputs_.count(e.memory) && !e.tensor.is_inference() && allocated(e.memory);
  }

  Value& value(const at::Tensor& recorded) {
    const Key k = key(recorded);
    if (const auto it = values_.find(k); it != values_.end()) return it->second;
    const auto outside = external_.find(storage(recorded));
    TORCH_CHECK(outside != external_.end(), "a tensor of shape ", recorded.sizes(), " was reached in an unknown way");
    const size_t n = outside->second;
    return values_[k] = Value{recorded, foldable(g_.externals[n]), true, {n}};
  }

  void put(const at::Tensor& recorded, Value v) {
    TORCH_CHECK(v.tensor.sizes() == recorded.sizes(), "a result has another shape than in the recording");
    values_[key(recorded)] = std::move(v);
  }

  // Uses the value of a constant in the plan: from now on a change of what it was computed from is noticed.
  const at::Tensor& use(const Value& v) {
    if (v.constant && !v.live) {
      used_.insert(v.from.begin(), v.from.end());
      if (held_.insert(storage(v.tensor)).second) packed_.push_back(v.tensor);
    }
    return v.tensor;
  }

  // Frees the memory of values that are not used again.
  void release(size_t now) { release(now, now); }
  void release(size_t of, size_t now) {
    for (const IValue& a : g_.calls[of].args) {
      tensors(a, [&](const at::Tensor& t) {
        if (last_[storage(t)] > now || returned_.count(storage(t)) || external_.count(storage(t))) return;
        const auto it = values_.find(key(t));
        if (it == values_.end() || it->second.constant) return;
        auto* s = storage(it->second.tensor);
        if (made_.count(s)) drop_data(s);
      });
    }
  }

  // --- the new calls ----------------------------------------------------------

  // Calls an operator and adds the call to the plan.
  std::vector<at::Tensor> call(const Call& like, const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                               std::vector<IValue> args) {
    Call c;
    c.op = op, c.keys = keys, c.stack = like.stack, c.grad = like.grad, c.inference = like.inference;
    c.writes = op.schema().is_mutable();
    c.args = std::move(args);
    torch::jit::Stack stack = c.args;
    op.redispatchBoxed(keys, &stack);
    const auto of_args = memory_of_args(c);
    c.views = !c.writes && !stack.empty();
    for (const IValue& v : stack) {
      c.outs.push_back(v);
      tensors(v, [&](const at::Tensor& t) {
        c.made.push_back(t);
        c.views = c.views && of_args.count(storage(t));
        if (!of_args.count(storage(t))) made_.insert(storage(t));
      });
    }
    calls_.push_back(std::move(c));
    return calls_.back().made;
  }

  // Adds a call of a kernel to the plan, after running it once, and returns its result.
  at::Tensor add(const Call& like, Candidate k) {
    Call c;
    c.op = like.op, c.keys = like.keys, c.stack = like.stack, c.inference = like.inference, c.how = k.how;
    torch::jit::Stack stack;
    k.kernel->run(stack);
    const at::Tensor result = k.result.defined() ? k.result : stack[0].toTensor();
    for (const at::Tensor& t : k.reads) c.args.push_back(t);
    c.outs = {result}, c.made = {result};
    c.fused = std::move(k.kernel);
    made_.insert(storage(result));
    calls_.push_back(std::move(c));
    for (const at::Tensor& t : k.packed) packed_.push_back(t);
    return result;
  }

  at::Tensor contiguous(const Call& like, const at::Tensor& t, at::MemoryFormat format) {
    if (format == at::MemoryFormat::Contiguous && t.dim() == 4 && t.scalar_type() == at::kFloat &&
        t.is_contiguous(at::MemoryFormat::ChannelsLast))
      return add(like, to_contiguous(t));
    static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::clone", "");
    return call(like, op, c10::DispatchKeySet(c10::DispatchKey::CPU), {t, format})[0];
  }

  // Returns t with the strides of the recording.
  at::Tensor restrided(const Call& like, const at::Tensor& t, const at::Tensor& recorded) {
    if (t.strides() == recorded.strides()) return t;
    if (same_strides(t, recorded.strides())) return t.as_strided(t.sizes(), recorded.strides(), t.storage_offset());
    // A copy would not see later writes, nor would the tensor see writes to the copy.
    TORCH_CHECK(!(like.views || like.writes) || !writes_.count(storage(recorded)),
                "the step writes to a tensor whose layout was changed");
    if (recorded.is_contiguous()) return contiguous(like, t, at::MemoryFormat::Contiguous);
    static const auto copy = c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", "");
    static const auto empty = c10::Dispatcher::singleton().findSchemaOrThrow("aten::empty_strided", "");
    const c10::DispatchKeySet keys(c10::DispatchKey::CPU);
    const auto made = call(like, empty, keys,
                           {t.sizes().vec(), recorded.strides().vec(), t.scalar_type(), IValue(), IValue(), IValue()});
    call(like, copy, keys, {made[0], t, false});
    return made[0];
  }

  // Adds a recorded call to the plan, or computes it now if its arguments are constant.
  void emit(const Call& c) {
    bool constants = !c.writes, any = false;
    Value folded{{}, true, true, {}};
    std::unordered_set<c10::StorageImpl*> outside;
    const bool free_strides = any_strides(name_of(c));
    const auto look = [&](const at::Tensor& t) {
      const Value& v = value(t);
      any = true;
      constants = constants && v.constant;
      folded.from.insert(v.from.begin(), v.from.end());
      folded.live = folded.live && v.live;
    };
    for (const IValue& a : c.args) tensors(a, look);
    constants = constants && any;
    std::vector<IValue> args;
    const auto map = [&](const at::Tensor& t) {
      if (!t.defined()) return t;
      const Value& v = value(t);
      if (constants) return v.tensor;
      TORCH_CHECK(!v.constant || !writes_.count(storage(t)), "the step writes to a constant");
      const at::Tensor& now = use(v);
      return free_strides ? now : restrided(c, now, t);
    };
    for (const IValue& a : c.args) args.push_back(mapped(a, map));
    std::vector<at::Tensor> results;
    if (!constants && !c.views && !c.writes && args[0].isTensor()) {
      const bool only_first = std::all_of(c.made.begin() + 1, c.made.end(), [&](const at::Tensor& t) {
        return !uses_.count(storage(t)) && !returned_.count(storage(t));
      });
      if (auto k = of_images(c, args[0].toTensor(), only_first)) {
        put(c.made[0], Value{add(c, std::move(*k)), false, false, {}});
        return;
      }
    }
    if (constants) {
      torch::jit::Stack stack = args;
      c.op->redispatchBoxed(c.keys, &stack);
      for (const IValue& v : stack) tensors(v, [&](const at::Tensor& t) { results.push_back(t); });
    } else {
      results = call(c, *c.op, c.keys, std::move(args));
    }
    TORCH_CHECK(results.size() == c.made.size(), name_of(c), " returns another number of results");
    for (size_t i = 0; i < results.size(); i++) {
      Value v{results[i], false, false, {}};
      if (constants) v = folded, v.tensor = results[i], v.live = folded.live && c.views;
      put(c.made[i], std::move(v));
    }
  }

  template <class F>
  static IValue mapped(const IValue& v, const F& f) {
    if (v.isTensor()) return f(v.toTensor());
    if (v.isTensorList()) {
      c10::List<at::Tensor> l;
      for (const at::Tensor& t : v.toTensorList()) l.push_back(f(t));
      return l;
    }
    if (v.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> l;
      for (const std::optional<at::Tensor>& t : v.toOptionalTensorList())
        l.push_back(t ? std::optional<at::Tensor>(f(*t)) : std::nullopt);
      return l;
    }
    return v;
  }

  // Copies the results to the tensors that the step returned.
  void return_results() {
    static const auto copy = c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", "");
    std::unordered_set<c10::TensorImpl*> done;
    for (const at::Tensor& t : g_.results) {
      const at::Tensor& now = value(t).tensor;
      if (storage(now) == storage(t) || !done.insert(t.unsafeGetTensorImpl()).second) continue;
      call(g_.calls.back(), copy, c10::DispatchKeySet(c10::DispatchKey::CPU), {t.tensor_data(), use(value(t)), false});
    }
  }

  // --- groups -----------------------------------------------------------------

  // The constant value of an argument, or an undefined tensor.
  at::Tensor constant_of(const IValue& v, Group& g) {
    if (!v.isTensor() || !v.toTensor().defined()) return {};
    const Value& c = value(v.toTensor());
    if (!c.constant || !is_dense_float(c.tensor)) return {};
    g.from.insert(c.from.begin(), c.from.end());
    return c.tensor;
  }

  static bool absent(const IValue& v) { return v.isNone() || (v.isTensor() && !v.toTensor().defined()); }

  // Sets the layer of a call that may begin a group.
  bool layer_of(const Call& c, Group& g) {
    Layer& l = g.layer;
    const std::string& name = name_of(c);
    const auto one = [](const IValue& v) { return v.toScalar().toDouble() == 1; };
    if (name == "aten::convolution") {
      if (c.args[6].toBool() || !is_dense_float(c.args[0].toTensor()) || c.args[0].toTensor().dim() != 4) return false;
      l.convolution = true;
      l.weight = constant_of(c.args[1], g);
      l.bias = constant_of(c.args[2], g);
      if (!l.weight.defined() || l.bias.defined() == absent(c.args[2])) return false;
      l.stride = c.args[3].toIntVector(), l.padding = c.args[4].toIntVector(), l.dilation = c.args[5].toIntVector();
      l.groups = c.args[8].toInt();
    } else if (name == "aten::addmm" && c.op->schema().overload_name().empty()) {
      if (!one(c.args[3]) || !one(c.args[4])) return false;
      l.bias = constant_of(c.args[0], g);
      l.weight = constant_of(c.args[2], g);
      if (!l.bias.defined() || l.bias.dim() != 1 || !l.weight.defined() || l.bias.size(0) != l.weight.size(1))
        return false;
    } else if (name == "aten::mm" && c.op->schema().overload_name().empty()) {
      l.weight = constant_of(c.args[1], g);
      if (!l.weight.defined()) return false;
    } else {
      return false;
    }
    if (!l.convolution) l.weight = l.weight.t();
    const IValue& x = c.args[name == "aten::addmm" ? 1 : 0];
    const Value& v = value(x.toTensor());
    if (v.constant || !is_dense_float(v.tensor) || v.tensor.numel() == 0 || l.weight.numel() == 0) return false;
    l.x = v.tensor;
    return true;
  }

  bool start_group(size_t i) {
    const Call& c = g_.calls[i];
    Group g;
    if (c.writes || c.views || !layer_of(c, g)) return false;
    g.first = g.last = i;
    g.result = c.made[0];
    const at::Tensor x = c.args[name_of(c) == "aten::addmm" ? 1 : 0].toTensor();
    std::vector<size_t> members{i};
    std::unordered_set<c10::StorageImpl*> memory{storage(g.result)};
    while (extend(g, x)) members.push_back(g.last), memory.insert(storage(g.result));
    claimed_.insert(members.begin(), members.end());
    for (size_t k = i + 1; k < g.last; k++) {  // views between the members
      const Call& between = g_.calls[k];
      if (between.views && memory.count(storage(between.made[0]))) claimed_.insert(k);
    }
    ends_[g.last] = groups_.size();
    groups_.push_back(std::move(g));
    if (const auto it = ends_.find(i); it != ends_.end()) emit_group(groups_[it->second]);
    return true;
  }

  // Adds the next call to a group, if it is the only one that uses the group's result.
  bool extend(Group& g, const at::Tensor& x) {
    auto* s = storage(g.result);
    std::vector<size_t> after;
    for (const size_t i : uses_[s]) {
      if (i > g.last) after.push_back(i);
    }
    if (after.empty() || claimed_.count(after[0])) return false;
    const size_t next = after[0];
    const Call& c = g_.calls[next];
    const bool in_place = c.writes && c.args[0].isTensor() && storage(c.args[0].toTensor()) == s;
    if (c.made.empty() || (c.writes && !in_place)) return false;
    if (!in_place && (after.size() > 1 || returned_.count(s))) return false;
    if (written_between(x, g.first, next) && storage(x) != s) return false;
    const auto whole = [&](const IValue& v) {
      if (!v.isTensor() || !v.toTensor().defined() || storage(v.toTensor()) != s) return false;
      const at::Tensor& t = v.toTensor();
      if (t.sizes() == g.result.sizes()) return t.strides() == g.result.strides();
      return !g.layer.convolution && t.numel() == g.result.numel() && t.is_contiguous() && g.result.is_contiguous();
    };
    Layer& l = g.layer;
    if (l.act != Act::none) return false;
    if (const auto act = activation(c); act && whole(c.args[0])) {
      l.act = act->act, l.low = act->low, l.high = act->high;
    } else if (const std::string& name = name_of(c); name == "aten::add" || name == "aten::add_") {
      if (!take_addition(g, c, whole)) return false;
    } else if (name == "aten::native_batch_norm" || name == "aten::_batch_norm_impl_index") {
      if (!l.convolution || l.other.defined() || !whole(c.args[0]) || !fold_norm(g, c)) return false;
    } else {
      return false;
    }
    g.last = next;
    g.result = c.made[0];
    return true;
  }

  template <class F>
  bool take_addition(Group& g, const Call& c, const F& whole) {
    if (c.op->schema().overload_name() != "Tensor" || c.args[2].toScalar().toDouble() != 1 || g.layer.other.defined())
      return false;
    const int mine = whole(c.args[0]) ? 0 : 1;
    if (!whole(c.args[mine]) || (c.writes && mine == 1)) return false;
    const at::Tensor& other = c.args[1 - mine].toTensor();
    if (storage(other) == storage(g.result) || other.sizes() != c.made[0].sizes() || !is_dense_float(other))
      return false;
    g.layer.other = other;  // the recorded tensor, until the group ends
    return true;
  }

  // Folds batch normalization with constant statistics into the weights.
  bool fold_norm(Group& g, const Call& c) {
    Group with{{}, g.from, 0, 0, {}};
    const at::Tensor gamma = constant_of(c.args[1], with), beta = constant_of(c.args[2], with);
    const at::Tensor mean = constant_of(c.args[3], with), variance = constant_of(c.args[4], with);
    if (!mean.defined() || !variance.defined() || (!gamma.defined() && !absent(c.args[1])) ||
        (!beta.defined() && !absent(c.args[2])))
      return false;
    Layer& l = g.layer;
    at::Tensor scale = variance.to(at::kDouble).add(c.args[7].toDouble()).rsqrt();
    if (gamma.defined()) scale = scale.mul(gamma.to(at::kDouble));
    at::Tensor shift = mean.to(at::kDouble).neg();
    if (l.bias.defined()) shift = shift.add(l.bias.to(at::kDouble));
    shift = shift.mul(scale);
    if (beta.defined()) shift = shift.add(beta.to(at::kDouble));
    l.weight = l.weight.to(at::kDouble).mul(scale.view({-1, 1, 1, 1})).to(at::kFloat);
    l.bias = shift.to(at::kFloat);
    g.from = std::move(with.from);
    return true;
  }

  void emit_group(Group& g) {
    const Call& end = g_.calls[g.last];
    const Call& begin = g_.calls[g.first];
    Layer& l = g.layer;
    const auto format = l.convolution ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
    if (!any_layout(l) && !l.x.is_contiguous(format)) l.x = contiguous(begin, l.x, format);
    if (l.other.defined()) {
      at::Tensor other = use(value(l.other));
      if (!l.convolution) other = restrided(end, other, l.other).reshape(l.result_sizes());
      if (!other.is_contiguous(format)) other = contiguous(end, other, format);
      l.other = other;
    }
    l.scratch = scratch_;
    std::vector<Candidate> all = candidates(l);
    TORCH_CHECK(!all.empty(), "no kernel for a layer");
    used_.insert(g.from.begin(), g.from.end());
    const at::Tensor result = add(begin, std::move(all[fastest(all)]));
    put(g.result, Value{l.convolution ? result : result.view(g.result.sizes()), false, false, {}});
    l = {};
    for (size_t i = g.first; i <= g.last; i++) {
      if (claimed_.count(i)) release(i, g.last);
    }
  }

  // Returns the index of the candidate that takes the least time.
  static size_t fastest(std::vector<Candidate>& all) {
    using Clock = std::chrono::steady_clock;
    if (all.size() == 1) return 0;
    std::vector<double> best(all.size(), 1e300);
    for (int round = 0; round < 4; round++) {
      for (size_t i = 0; i < all.size(); i++) {
        torch::jit::Stack stack;
        const auto start = Clock::now();
        try {
          all[i].kernel->run(stack);
        } catch (const std::exception&) {  // oneDNN does not support the layer on this processor
          continue;
        }
        const double took = std::chrono::duration<double>(Clock::now() - start).count();
        if (round > 0) best[i] = std::min(best[i], took);  // the first run warms up
      }
    }
    return std::min_element(best.begin(), best.end()) - best.begin();
  }

  Graph& g_;
  const std::unordered_set<c10::StorageImpl*>& inputs_;
  std::unordered_set<c10::StorageImpl*> returned_;
  std::unordered_map<c10::StorageImpl*, size_t> external_;
  std::unordered_map<c10::StorageImpl*, std::vector<size_t>> uses_, writes_;
  std::unordered_map<c10::StorageImpl*, size_t> last_;
  std::map<Key, Value> values_;
  std::unordered_set<c10::StorageImpl*> made_, held_;
  std::vector<Group> groups_;
  std::unordered_map<size_t, size_t> ends_;  // the last call of each group
  std::unordered_set<size_t> claimed_;       // calls in groups
  std::vector<Call> calls_;
  std::vector<at::Tensor> packed_;
  std::set<size_t> used_;
  std::shared_ptr<Scratch> scratch_ = std::make_shared<Scratch>();
};

}  // namespace

std::string Graph::optimize(const std::unordered_set<c10::StorageImpl*>& inputs) {
  at::AutoDispatchBelowADInplaceOrView below;
  const at::NoGradGuard no_gradients;
  try {
    Rewriter r(*this, inputs);
    r.run();
    r.commit();
    return "";
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
