#include "rewrite.hpp"

#include <ATen/ops/clone.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>

namespace gt::capture {

namespace {

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


// Operators that compute in bfloat16 if their arguments are in bfloat16. Their kernels add in float.
bool in_bfloat16(const std::string& name) {
  static const std::unordered_set<std::string> names{
      "aten::add",     "aten::add_",    "aten::sub",         "aten::mul",           "aten::mul_",
      "aten::relu",    "aten::relu_",   "aten::gelu",        "aten::silu",          "aten::silu_",
      "aten::sigmoid", "aten::tanh",    "aten::hardswish",   "aten::hardswish_",    "aten::hardsigmoid",
      "aten::hardtanh", "aten::hardtanh_", "aten::leaky_relu", "aten::cat",         "aten::clone",
      "aten::mean",    "aten::mm",      "aten::bmm",         "aten::convolution",   "aten::constant_pad_nd",
      "aten::avg_pool2d", "aten::max_pool2d_with_indices", "aten::_adaptive_avg_pool2d", "aten::native_layer_norm",
      "aten::upsample_nearest2d", "aten::upsample_bilinear2d", "aten::_scaled_dot_product_flash_attention_for_cpu"};
  return names.count(name) != 0;
}

// Whether the allocator of the CPU owns the memory.
bool allocated(c10::StorageImpl* memory) {
  return memory->data_ptr().get_deleter() == c10::GetCPUAllocator()->raw_deleter();
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

}  // namespace

Rewriter::Key Rewriter::key(const at::Tensor& t) {
  Key k{reinterpret_cast<int64_t>(storage(t)), t.storage_offset(), static_cast<int64_t>(t.scalar_type())};
  k.insert(k.end(), t.sizes().begin(), t.sizes().end());
  k.insert(k.end(), t.strides().begin(), t.strides().end());
  return k;
}

bool Rewriter::foldable(const External& e) const {
  return !inputs_.count(e.memory) && !e.tensor.is_inference() && allocated(e.memory);
}

Rewriter::Value& Rewriter::value(const at::Tensor& recorded) {
  const Key k = key(recorded);
  if (const auto it = values_.find(k); it != values_.end()) return it->second;
  const auto outside = external_.find(storage(recorded));
  TORCH_CHECK(outside != external_.end(), "a tensor of shape ", recorded.sizes(), " was reached in an unknown way");
  const size_t n = outside->second;
  return values_[k] = Value{recorded, foldable(g_.externals[n]), true, {n}};
}

void Rewriter::put(const at::Tensor& recorded, Value v) {
  TORCH_CHECK(v.tensor.sizes() == recorded.sizes(), "a result has another shape than in the recording");
  const auto dtype = v.tensor.scalar_type(), want = recorded.scalar_type();
  TORCH_CHECK(dtype == want || (want == at::kFloat && dtype == precision_), "a result has dtype ", dtype,
              " instead of ", want);
  values_[key(recorded)] = std::move(v);
}

const at::Tensor& Rewriter::use(const Value& v) {
  if (v.constant && !v.live) {
    used_.insert(v.from.begin(), v.from.end());
    if (held_.insert(storage(v.tensor)).second) packed_.push_back(v.tensor);
  }
  return v.tensor;
}

at::Tensor Rewriter::in(const Call& like, const at::Tensor& recorded, at::ScalarType dtype) {
  Value& v = value(recorded);
  if (v.tensor.scalar_type() == dtype) return use(v);
  if (v.converted.defined()) return v.converted;
  if (v.constant) {
    used_.insert(v.from.begin(), v.from.end());
    v.converted = v.tensor.to(dtype);
    packed_.push_back(v.converted);
    return v.converted;
  }
  const at::Tensor t = add(like, converted(v.tensor, dtype));
  if (!writes_.count(storage(recorded))) v.converted = t;
  return t;
}

void Rewriter::release(size_t of, size_t now) {
  for (const IValue& a : g_.calls[of].args) {
    tensors(a, [&](const at::Tensor& t) {
      if (last_[storage(t)] > now || returned_.count(storage(t)) || external_.count(storage(t))) return;
      const auto it = values_.find(key(t));
      if (it == values_.end() || it->second.constant) return;
      for (const at::Tensor& made : {it->second.tensor, it->second.converted}) {
        if (made.defined() && made_.count(storage(made))) drop_data(storage(made));
      }
    });
  }
}

std::vector<at::Tensor> Rewriter::call(const Call& like, const c10::OperatorHandle& op, c10::DispatchKeySet keys,
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

at::Tensor Rewriter::add(const Call& like, Candidate k) {
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

at::Tensor Rewriter::contiguous(const Call& like, const at::Tensor& t, at::MemoryFormat format) {
  if (format == at::MemoryFormat::Contiguous && t.dim() == 4 && t.scalar_type() == at::kFloat &&
      t.is_contiguous(at::MemoryFormat::ChannelsLast))
    return add(like, to_contiguous(t));
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::clone", "");
  return call(like, op, c10::DispatchKeySet(c10::DispatchKey::CPU), {t, format})[0];
}

at::Tensor Rewriter::restrided(const Call& like, const at::Tensor& t, const at::Tensor& recorded) {
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

std::optional<at::ScalarType> Rewriter::common(const Call& c) {
  if (precision_ == at::kFloat || c.views) return {};
  bool lower = false;
  const auto lowered = [&](const at::Tensor& t) {
    return t.defined() && t.scalar_type() == at::kFloat && value(t).tensor.scalar_type() == precision_;
  };
  for (const IValue& a : c.args) tensors(a, [&](const at::Tensor& t) { lower = lower || lowered(t); });
  if (!lower) return {};
  if (c.writes && !(c.args[0].isTensor() && lowered(c.args[0].toTensor()))) return at::kFloat;
  if (in_bfloat16(name_of(c))) return precision_;
  TORCH_CHECK(!c.writes, name_of(c), " writes to a value in ", precision_);
  return at::kFloat;
}

void Rewriter::emit(const Call& c) {
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
  const auto dtype = constants ? std::nullopt : common(c);
  std::vector<IValue> args;
  const auto map = [&](const at::Tensor& t) {
    if (!t.defined()) return t;
    const Value& v = value(t);
    if (constants) return v.tensor;
    TORCH_CHECK(!v.constant || !writes_.count(storage(t)), "the step writes to a constant");
    // Layer normalization takes weights of float with an input of bfloat16.
    const bool convert = dtype && t.scalar_type() == at::kFloat &&
                         (args.empty() || name_of(c) != "aten::native_layer_norm");
    const at::Tensor now = convert ? in(c, t, *dtype) : use(v);
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

}  // namespace gt::capture
