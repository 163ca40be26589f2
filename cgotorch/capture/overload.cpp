#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "overload.hpp"

#include "copies.hpp"
#include "kernels.hpp"

#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <cstring>

namespace gt::capture {

std::optional<c10::OperatorHandle> out_overload(const c10::OperatorHandle& op) {
  if (with_own_kernel().count(op.schema().name())) return {};
  static const auto* overloads = [] {
    auto* by_name = new std::unordered_map<std::string, std::vector<c10::OperatorName>>;
    for (const auto& name : c10::Dispatcher::singleton().getAllOpNames()) (*by_name)[name.name].push_back(name);
    return by_name;
  }();
  const auto& s = op.schema();
  const auto named = overloads->find(s.name());
  if (named == overloads->end()) return {};
  for (const auto& name : named->second) {
    if (name.overload_name == s.overload_name()) continue;
    const auto o = c10::Dispatcher::singleton().findSchema(name);
    if (!o || !o->hasKernelForDispatchKey(c10::DispatchKey::CPU)) continue;
    const auto& a = o->schema().arguments();
    bool same = a.size() == s.arguments().size() + s.returns().size();
    for (size_t i = 0; same && i < a.size(); i++) {
      same = i < s.arguments().size()
                 ? *a[i].type() == *s.arguments()[i].type() && a[i].name() == s.arguments()[i].name() && !a[i].is_out()
                 : a[i].is_out();
    }
    if (same) return o;
  }
  return {};
}

bool same_results(const c10::OperatorHandle& overload, const Call& c) {
  constexpr size_t kMost = size_t{32} << 20;  // calls with more bytes are not tested, because that takes too long
  size_t bytes = 0;
  bool freed_index = false;  // an index was freed, and a kernel might read out of bounds
  for (const auto* values : {&c.args, &c.outs}) {
    for (const IValue& v : *values) {
      tensors(v, [&](const at::Tensor& t) {
        bytes += t.numel() * t.element_size();
        const bool index = values == &c.args && at::isIntegralType(t.scalar_type(), false);
        freed_index = freed_index || (index && !storage(t)->data());
      });
    }
  }
  if (bytes > kMost || freed_index) return false;
  // Suppresses the warning about changed shapes of results, because the shapes are
  // checked below.
  struct Silent final : c10::WarningHandler {
    void process(const c10::Warning&) override {}
  } silent;
  c10::WarningUtils::WarningHandlerGuard quiet(&silent);
  torch::jit::Stack wanted = copied(c.args);
  // If the operator writes to arguments although its schema does not say so, the overload
  // needs a fresh copy.
  torch::jit::Stack stack = undeclared(*c.op).empty() ? wanted : copied(c.args);
  std::vector<at::Tensor> want, results;
  try {
    c.op->redispatchBoxed(c.keys, &wanted);
    for (const IValue& v : wanted) tensors(v, [&](const at::Tensor& t) { want.push_back(t); });
    std::vector<const void*> data;
    for (const at::Tensor& t : c.made) {
      results.push_back(at::empty_strided(t.sizes(), t.strides(), t.options()));
      if (results.back().nbytes())
        std::memset(results.back().mutable_data_ptr(), 0xc3, results.back().nbytes());  // any value
      data.push_back(results.back().const_data_ptr());
      stack.push_back(results.back());
    }
    overload.redispatchBoxed(c.keys, &stack);
    for (size_t i = 0; i < results.size(); i++) {
      if (results[i].const_data_ptr() != data[i] || results[i].strides() != c.made[i].strides()) return false;
    }
  } catch (const std::exception&) {
    return false;
  }
  return std::equal(want.begin(), want.end(), results.begin(), results.end(), same_bits);
}

}  // namespace gt::capture

#endif
