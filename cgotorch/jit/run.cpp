// Methods and their calls.
#ifdef GOTORCH_TOGETHER

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/serialization/python_print.h>

#include "runtime.h"

#include <cstring>
#include <limits>
#include <typeinfo>
#include <unordered_set>

namespace gt::jit {
namespace {

// Restores the thread's modes after a call. A script may leave gradients off: if an
// exception ends a with block of TorchScript, the block does not restore the modes.
class Modes {
 public:
  Modes() : autograd_(c10::AutogradState::get_tls_state()), keys_(c10::impl::tls_local_dispatch_key_set()) {}
  ~Modes() {
    c10::AutogradState::set_tls_state(autograd_);
    c10::impl::_force_tls_local_dispatch_key_set(keys_);
  }
  Modes(const Modes&) = delete;
  Modes& operator=(const Modes&) = delete;

 private:
  c10::AutogradState autograd_;
  c10::impl::LocalDispatchKeySet keys_;
};

torch::jit::Function& function(gt_jit_function f) { return *reinterpret_cast<torch::jit::Function*>(f); }

IValue call(Held& m, gt_jit_function f, Reader& in) {
  const auto n = in.word(), n_named = in.word();
  const auto& wanted = function(f).getSchema().arguments();
  const TypePtr any = c10::AnyType::get();
  torch::jit::Stack stack;
  stack.reserve(n + 1);
  for (size_t i = 0; i < n; i++) {  // Arguments start at 1 in the schema, because argument 0 is the module.
    stack.push_back(in.value(i + 1 < wanted.size() ? wanted[i + 1].type() : any));
  }
  torch::jit::Kwargs named;
  for (size_t i = 0; i < n_named; i++) {
    auto name = in.text();
    const auto it = std::find_if(wanted.begin(), wanted.end(), [&](const auto& a) { return a.name() == name; });
    auto v = in.value(it != wanted.end() ? it->type() : any);
    named.emplace(std::move(name), std::move(v));
  }
  TORCH_CHECK(in.done(), "too many words");
  if (c10::GradMode::is_enabled()) return torch::jit::Method(m.module._ivalue(), &function(f))(std::move(stack), named);
  auto& fn = function(f);
  auto executor = m.quiet(fn);
  stack.insert(stack.begin(), m.module._ivalue());
  RECORD_TORCHSCRIPT_FUNCTION(fn.name(), stack);
  fn.getSchema().checkAndNormalizeInputs(stack, named);
  executor.run(stack);
  TORCH_CHECK(stack.size() == 1, "expected one result, got ", stack.size());
  return std::move(stack.back());
}

// Subtracts nodes of a result from the count of live nodes: the nodes that stand for
// whole parts of a script. These are not destroyed through deleteNode; see sequence.cpp.
void discount_nodes(const IValue& result, uint64_t since) {
  std::vector<torch::autograd::Node*> next;
  std::unordered_set<torch::autograd::Node*> seen;
  const auto add = [&](torch::autograd::Node* node) {
    constexpr auto leaf = std::numeric_limits<uint64_t>::max();
    if (node && node->sequence_nr() >= since && node->sequence_nr() != leaf && seen.insert(node).second)
      next.push_back(node);
  };
  result.visit([&](const IValue& v) {
    if (v.isTensor() && v.toTensor().defined()) add(v.toTensor().grad_fn().get());
    return false;
  });
  int64_t n = 0;
  while (!next.empty()) {
    auto* node = next.back();
    next.pop_back();
    n += std::strstr(typeid(*node).name(), "DifferentiableGraphBackward") != nullptr;
    for (const auto& edge : node->next_edges()) add(edge.function.get());
  }
  if (n) gt_discount_nodes(n);
}

std::string code(torch::jit::Function& f) {
  std::vector<at::IValue> constants;
  torch::jit::PrintDepsTable deps;
  torch::jit::PythonPrint printer(constants, deps);
  printer.printMethod(f);
  return printer.str();
}

}  // namespace
}  // namespace gt::jit

extern "C" {

uintptr_t gt_jit_find(gt_jit_module m, const char* name, int64_t n, gt_jit_function* out) {
  try {
    auto* f = gt::jit::module(m).type()->findMethod(std::string(name, n));
    if (f) f->ensure_defined();
    *out = reinterpret_cast<gt_jit_function>(f);
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

uintptr_t gt_jit_run(gt_ctx cx, gt_jit_module m, gt_jit_function f, const uint64_t* words, int64_t n_words,
                     const gt_tensor* handles, int64_t n_handles, gt_jit_out* out) {
  try {
    gt::enter(cx);
    gt::jit::Reader in(words, n_words, handles, n_handles);
    c10::IValue result;
    {
      const gt::jit::Modes modes;
      const uint64_t since = at::sequence_number::peek();
      result = gt::jit::call(*reinterpret_cast<gt::jit::Held*>(m), f, in);
      if (c10::GradMode::is_enabled()) gt::jit::discount_nodes(result, since);
    }
    if (result.isTensor()) {
      *out = {gt::release(std::move(result).toTensor()), nullptr, 0, nullptr, 0};
      return 0;
    }
    gt::jit::Writer to;
    to.value(result);
    to.give(out);
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

uintptr_t gt_jit_text(gt_jit_module m, gt_jit_function f, int what, gt_jit_out* out) {
  try {
    gt::jit::Writer to;
    if (what == GT_JIT_SCHEMA && !f) {
      const auto methods = gt::jit::module(m).type()->methods();
      to.word(methods.size());
      for (const auto* each : methods) to.text(each->name());
    } else {
      auto& fn = gt::jit::function(f);
      std::ostringstream text;
      switch (what) {
        case GT_JIT_SCHEMA: text << fn.getSchema(); break;
        case GT_JIT_CODE: text << gt::jit::code(fn); break;
        case GT_JIT_GRAPH: text << *torch::jit::toGraphFunction(fn).graph(); break;
        default: text << *torch::jit::toGraphFunction(fn).optimized_graph();
      }
      to.text(text.str());
    }
    to.give(out);
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

}  // extern "C"

#endif
