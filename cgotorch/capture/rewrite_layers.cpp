#include "rewrite.hpp"

#include <ATen/ops/rsqrt.h>

#include <algorithm>
#include <chrono>

namespace gt::capture {

namespace {

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

bool absent(const IValue& v) { return v.isNone() || (v.isTensor() && !v.toTensor().defined()); }

// Returns the candidate that takes the least time, or nothing if none can compute the layer.
std::vector<Candidate> fastest(std::vector<Candidate> all) {
  using Clock = std::chrono::steady_clock;
  constexpr double kNever = 1e300;
  std::vector<double> best(all.size(), kNever);
  for (int round = 0; round < (all.size() == 1 ? 2 : 4); round++) {
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
  const auto least = std::min_element(best.begin(), best.end());
  std::vector<Candidate> one;
  if (least != best.end() && *least < kNever) one.push_back(std::move(all[least - best.begin()]));
  return one;
}

}  // namespace

bool Rewriter::written_between(const at::Tensor& t, size_t after, size_t before) const {
  const auto it = writes_.find(storage(t));
  return it != writes_.end() && std::any_of(it->second.begin(), it->second.end(),
                                            [&](size_t i) { return i > after && i < before; });
}

at::Tensor Rewriter::constant_of(const IValue& v, Group& g) {
  if (!v.isTensor() || !v.toTensor().defined()) return {};
  const Value& c = value(v.toTensor());
  if (!c.constant || !is_dense_float(c.tensor)) return {};
  g.from.insert(c.from.begin(), c.from.end());
  return c.tensor;
}

bool Rewriter::layer_of(const Call& c, Group& g) {
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
  if (v.constant || !is_dense_float(x.toTensor()) || v.tensor.numel() == 0 || l.weight.numel() == 0) return false;
  l.x = v.tensor;
  g.x = x.toTensor();
  return true;
}

bool Rewriter::start_group(size_t i) {
  const Call& c = g_.calls[i];
  Group g;
  if (c.writes || c.views || !layer_of(c, g)) return false;
  g.first = g.last = i;
  g.result = c.made[0];
  std::vector<size_t> members{i};
  std::unordered_set<c10::StorageImpl*> memory{storage(g.result)};
  while (extend(g)) members.push_back(g.last), memory.insert(storage(g.result));
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

bool Rewriter::extend(Group& g) {
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
  if (written_between(g.x, g.first, next) && storage(g.x) != s) return false;
  const auto whole = [&](const IValue& v) {
    if (!v.isTensor() || !v.toTensor().defined() || storage(v.toTensor()) != s) return false;
    const at::Tensor& t = v.toTensor();
    if (t.sizes() == g.result.sizes()) return t.strides() == g.result.strides();
    return !g.layer.convolution && t.numel() == g.result.numel() && t.is_contiguous() && g.result.is_contiguous();
  };
  Layer& l = g.layer;
  if (l.act != Act::none) return false;
  const Layer before = l;
  if (const auto act = activation(c); act && whole(c.args[0])) {
    l.act = act->act, l.low = act->low, l.high = act->high;
  } else if (const std::string& name = name_of(c); name == "aten::add" || name == "aten::add_") {
    if (!take_addition(g, c, whole)) return false;
  } else if (name == "aten::native_batch_norm" || name == "aten::_batch_norm_impl_index") {
    if (!l.convolution || l.other.defined() || !whole(c.args[0]) || !fold_norm(g, c)) return false;
  } else {
    return false;
  }
  if (precision_ != at::kFloat && one_dnn_computes(before, precision_) && !one_dnn_computes(l, precision_)) {
    l = before;
    return false;
  }
  g.last = next;
  g.result = c.made[0];
  return true;
}

template <class F>
bool Rewriter::take_addition(Group& g, const Call& c, const F& whole) {
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

bool Rewriter::fold_norm(Group& g, const Call& c) {
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

void Rewriter::emit_group(Group& g) {
  const Call& begin = g_.calls[g.first];
  Layer& l = g.layer;
  const at::Tensor other = l.other;
  std::vector<Candidate> all;
  if (one_dnn_computes(l, precision_)) all = prepare(g, other, precision_);
  if (all.empty()) all = prepare(g, other, at::kFloat);
  TORCH_CHECK(!all.empty(), "no kernel for a layer");
  used_.insert(g.from.begin(), g.from.end());
  const at::Tensor result = add(begin, std::move(all[0]));
  put(g.result, Value{l.convolution ? result : result.view(g.result.sizes()), false, false, {}});
  l = {};
  for (size_t i = g.first; i <= g.last; i++) {
    if (claimed_.count(i)) release(i, g.last);
  }
}

std::vector<Candidate> Rewriter::prepare(Group& g, const at::Tensor& recorded, at::ScalarType dtype) {
  const Call& end = g_.calls[g.last];
  const Call& begin = g_.calls[g.first];
  Layer& l = g.layer;
  const auto format = l.convolution ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  l.x = in(begin, g.x, dtype);
  if (!(any_layout(l) && dtype == at::kFloat) && !l.x.is_contiguous(format)) l.x = contiguous(begin, l.x, format);
  if (recorded.defined()) {
    at::Tensor other = in(end, recorded, dtype);
    if (!l.convolution) other = restrided(end, other, recorded).reshape(l.result_sizes());
    if (!other.is_contiguous(format)) other = contiguous(end, other, format);
    l.other = other;
  }
  l.scratch = scratch_;
  return fastest(candidates(l));
}

}  // namespace gt::capture
