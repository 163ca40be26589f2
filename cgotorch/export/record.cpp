// Recordings: writes the operators that a function calls as the nodes of an exported program.
#ifdef GOTORCH_TOGETHER

#include "recording.hpp"

#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <torch/library.h>

#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace gt::exported {
namespace {

// A value of a program.
struct Value {
  c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> tensor;  // so that its address is not used again
  bool grad;  // whether it requires gradients in the program
};

class Recording {
 public:
  // Of the given tensors, the first are parameters.
  Recording(c10::ArrayRef<gt_tensor> given, size_t n_parameters) {
    for (const gt_tensor& h : given) {
      const auto& t = as(h);
      if (values_.size() < n_parameters) {
        parameters_.insert(storage(t));
        if (t.grad().defined() && t.grad().has_storage()) parameters_.insert(storage(t.grad()));
      }
      const auto number = add(t, t.requires_grad());
      numbers_.emplace(t.unsafeGetTensorImpl(), number);  // the first number, if it has several names
      own(t);
    }
  }

  void call(const c10::OperatorHandle& op, c10::DispatchKeySet below, torch::jit::Stack* stack) {
    const auto& schema = op.schema();
    TORCH_CHECK_NOT_IMPLEMENTED(!op.hasTag(at::Tag::data_dependent_output), schema.name(),
                " reads a number from a tensor, which a program cannot do: compute with the tensor instead");
    TORCH_CHECK_NOT_IMPLEMENTED(!op.hasTag(at::Tag::dynamic_output_shape) || !sized_by_values(schema, *stack),
                schema.name(), " returns a tensor whose size depends on values, which a program cannot do: use a "
                "result of fixed size, such as that of where");
    Call c{schema.name(), {}};
    check_writes(schema, *stack);
    const auto& args = schema.arguments();
    const auto n = static_cast<int64_t>(args.size());
    Writer node = begin(schema.name(), schema.overload_name(), args.size());
    for (int64_t i = 0; i < n; i++) argument(args[i], *(stack->end() - n + i), c, node);
    {
      const c10::impl::ExcludeDispatchKeyGuard inner(kExportKey);
      op.redispatchBoxed(below, stack);
    }
    node.list(schema.returns().size());
    for (const auto& v : torch::jit::last(*stack, schema.returns().size())) result(v, c, node);
    nodes_.push_back(std::move(node));
  }

  // Returns the number of a result of the function, or -1 if no operator computed it.
  int64_t output(const at::Tensor& t) {
    return t.defined() && numbers_.count(t.unsafeGetTensorImpl()) ? use(t, "the function") : -1;
  }

  // Go reads the values of t.
  void reads(const at::Tensor& t) const {
    TORCH_CHECK_NOT_IMPLEMENTED(!t.has_storage() || !storages_.count(storage(t)),
                                "Go code reads the values of a tensor, which a program cannot do: compute with the "
                                "tensor instead");
  }

  // The module whose forward pass runs, by the caller's number.
  int64_t module = -1;

  void give(const std::vector<int64_t>& results, gt_export_out* out) const {
    Writer to;
    to.value(facts_);
    to.value(results);
    to.list(2 * constants_.size());
    for (const auto& [number, t] : constants_) {
      to.value(number);
      to.value(t);
    }
    to.list(nodes_.size());
    for (const auto& node : nodes_) to.append(node);
    to.give(out);
  }

 private:
  struct Call {
    const std::string& name;
    std::unordered_set<c10::TensorImpl*> detached;  // arguments that the node gets in their detached form
  };

  static c10::StorageImpl* storage(const at::Tensor& t) { return t.storage().unsafeGetStorageImpl(); }

  void check_writes(const c10::FunctionSchema& schema, const torch::jit::Stack& stack) const {
    const auto& args = schema.arguments();
    for (size_t i = 0; i < args.size(); i++) {
      const auto& v = *(stack.end() - static_cast<int64_t>(args.size() - i));
      if (!args[i].alias_info() || !args[i].alias_info()->isWrite()) continue;
      const auto check = [&](const IValue& item) {
        if (!item.isTensor() || !item.toTensor().has_storage()) return;
        TORCH_CHECK_NOT_IMPLEMENTED(!parameters_.count(storage(item.toTensor())), schema.name(),
                                    " changes a parameter of the module, or its gradient");
      };
      if (v.isList()) {
        for (const IValue& item : v.toListRef()) check(item);
      } else {
        check(v);
      }
    }
  }

  // Whether the shape of the result depends on the values of arguments. An operator for indices has
  // such results only for masks.
  static bool sized_by_values(const c10::FunctionSchema& schema, const torch::jit::Stack& stack) {
    if (schema.name() != "aten::index") return true;
    const auto& indices = stack.back();
    if (!indices.isList()) return true;
    for (const IValue& item : indices.toListRef()) {
      if (!item.isTensor() || !item.toTensor().defined()) continue;
      const auto type = item.toTensor().scalar_type();
      if (type == at::kBool || type == at::kByte) return true;
    }
    return false;
  }

  Writer begin(const std::string& name, const std::string& overload, size_t n_args) const {
    Writer node;
    node.list(6);
    node.value(name);
    node.value(overload);
    node.value(static_cast<int64_t>(GT_CTX_STACK(tl_ctx)));
    node.value(module);
    node.list(n_args);
    return node;
  }

  static void argument(Writer& node, const std::string& name, const std::string& type, bool kwarg_only) {
    node.list(4);
    node.value(name);
    node.value(type);
    node.value(kwarg_only);
  }

  void argument(const c10::Argument& a, const IValue& v, Call& c, Writer& node) {
    argument(node, a.name(), a.real_type()->str(), a.kwarg_only());
    operand(v, c, node);
  }

  void operand(const IValue& v, Call& c, Writer& node) {
    if (v.isTensor()) {
      const auto& t = v.toTensor();
      if (!t.defined()) return node.value(IValue());
      if (t.unsafeGetTensorImpl()->is_wrapped_number()) {
        const Unseen number;
        return node.value(t.item());
      }
      const auto number = use(t, c.name);
      if (number != numbers_.at(t.unsafeGetTensorImpl())) c.detached.insert(t.unsafeGetTensorImpl());
      node.slot(number);
    } else if (v.isList()) {
      const auto items = v.toListRef();
      node.list(items.size());
      for (const IValue& item : items) operand(item, c, node);
    } else {
      TORCH_CHECK_NOT_IMPLEMENTED(!v.isObject() && !v.isCapsule() && !v.isStorage() && !v.isStream(), c.name,
                                  " takes an object");
      node.value(v.isGenerator() ? IValue() : v);  // a program draws from the default generator
    }
  }

  void result(const IValue& v, const Call& c, Writer& node) {
    if (v.isTensor() && v.toTensor().defined()) {
      const auto& t = v.toTensor();
      const auto number = add(t, t.requires_grad() && at::GradMode::is_enabled());
      node.slot(number);
      // If the operator has written to the detached form of a tensor, the tensor keeps its number.
      if (!c.detached.count(t.unsafeGetTensorImpl())) numbers_[t.unsafeGetTensorImpl()] = number;
      own(t);
    } else if (v.isList()) {
      const auto items = v.toListRef();
      node.list(items.size());
      for (const IValue& item : items) result(item, c, node);
    } else {
      node.value(IValue());
    }
  }

  // Gives a value the next number, and notes what the program says of it.
  int64_t add(const at::Tensor& t, bool grad) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        t.device().is_cpu() && t.layout() == at::kStrided && t.has_storage() && !t.is_quantized() && !t.is_nested() &&
            !t.is_conj() && !t.is_neg(),
        "a tensor that is not a dense one on the CPU cannot be part of a program that is exported");
    facts_.insert(facts_.end(), {static_cast<int64_t>(t.scalar_type()), grad, t.dim()});
    facts_.insert(facts_.end(), t.sizes().begin(), t.sizes().end());
    facts_.insert(facts_.end(), t.strides().begin(), t.strides().end());
    facts_.push_back(t.storage_offset());
    values_.push_back(
        {c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>(t.getIntrusivePtr()), grad});
    return static_cast<int64_t>(values_.size()) - 1;
  }

  // Notes that the program knows the memory of t.
  void own(const at::Tensor& t) {
    if (storages_.insert(storage(t)).second) {
      held_.emplace_back(t.storage().getWeakStorageImpl());
    }
  }

  // Returns the number of a tensor that an operator uses.
  int64_t use(const at::Tensor& t, const std::string& by) {
    const auto found = numbers_.find(t.unsafeGetTensorImpl());
    if (found == numbers_.end()) return constant(t, by);
    const auto number = found->second;
    if (values_[number].grad == (t.requires_grad() && at::GradMode::is_enabled())) return number;
    TORCH_CHECK_NOT_IMPLEMENTED(
        values_[number].grad, by,
        " uses a tensor whose gradient no operator computes, such as the result of a torch.Function");
    return copied("detach", number, t, false);  // the function does not compute gradients here
  }

  // Adds a tensor from outside of the function. A program uses a copy of it, as in Python,
  // because it may change it.
  int64_t constant(const at::Tensor& t, const std::string& by) {
    TORCH_CHECK_NOT_IMPLEMENTED(!t.has_storage() || !storages_.count(storage(t)), by,
                                " uses a tensor that no operator has made, and that shares the memory of others");
    TORCH_CHECK_VALUE(!t.requires_grad(), by,
                      " uses a tensor that requires gradients, but is neither an input nor a parameter of the module");
    const Unseen copying;
    const auto value = t.clone();
    const auto number = add(value, false);
    constants_.emplace_back(number, value);
    const auto copy = copied("lift_fresh_copy", number, value, false);
    numbers_[t.unsafeGetTensorImpl()] = copy;
    values_[copy].tensor = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>(t.getIntrusivePtr());
    own(t);
    return copy;
  }

  // Adds a node that calls an operator with one argument, and returns the number of its result.
  int64_t copied(const char* name, int64_t number, const at::Tensor& t, bool grad) {
    Writer node = begin(std::string("aten::") + name, "", 1);
    argument(node, "self", "Tensor", false);
    node.slot(number);
    node.list(1);
    const auto result = add(t, grad);
    node.slot(result);
    nodes_.push_back(std::move(node));
    return result;
  }

  std::vector<Value> values_;  // by number
  std::vector<int64_t> facts_;
  std::unordered_map<c10::TensorImpl*, int64_t> numbers_;
  std::unordered_set<c10::StorageImpl*> parameters_;
  std::unordered_set<c10::StorageImpl*> storages_;  // memory that the program knows; held_ keeps the addresses
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> held_;
  std::vector<std::pair<int64_t, at::Tensor>> constants_;
  std::vector<Writer> nodes_;
};

thread_local Recording* tl_recording = nullptr;

// Whether a call first goes to autocast or to a functional transform. The operators that
// these call are recorded instead.
bool transformed(c10::DispatchKeySet keys) {
  static const auto transforms =
      c10::DispatchKeySet({c10::DispatchKey::FuncTorchBatched, c10::DispatchKey::FuncTorchVmapMode,
                           c10::DispatchKey::FuncTorchGradWrapper, c10::DispatchKey::Batched,
                           c10::DispatchKey::BatchedNestedTensor, c10::DispatchKey::VmapMode});
  return keys.has_any(transforms) || keys.has_any(c10::autocast_dispatch_keyset);
}

// Whether an operator has results that are tensors, or none, so that a program must call it.
bool computes(const c10::FunctionSchema& schema) {
  for (const auto& r : schema.returns()) {
    if (r.type()->kind() == TypeKind::TensorType || r.type()->kind() == TypeKind::ListType) return true;
  }
  return schema.returns().empty();
}

void record(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const auto below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kExportKey);
  const bool composite = !op.hasKernelForDispatchKey(c10::DispatchKey::CPU) &&
                         op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd);
  const auto& schema = op.schema();
  const bool ours = schema.name().rfind("gotorch::", 0) == 0;
  if (!tl_recording || transformed(below) || (ours && composite)) {
    op.redispatchBoxed(below, stack);
    return;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(!ours, schema.name(), " is an operator of this library, which Python does not have");
  if (computes(schema) || op.hasTag(at::Tag::data_dependent_output)) {
    tl_recording->call(op, below, stack);
    return;
  }
  const c10::impl::ExcludeDispatchKeyGuard inner(kExportKey);
  op.redispatchBoxed(below, stack);
}

void start(Recording* r) {
  static std::once_flag once;
  std::call_once(once, [] {
    auto* library = new torch::Library(torch::Library::IMPL, "_", kExportKey, __FILE__, __LINE__);  // never freed
    library->fallback(torch::CppFunction::makeFromBoxedFunction<&record>());
    watch_reads = [](const at::Tensor& t) {
      if (tl_recording) tl_recording->reads(t);
    };
  });
  tl_recording = r;
  c10::impl::tls_set_dispatch_key_included(kExportKey, r != nullptr);
}

}  // namespace
}  // namespace gt::exported

extern "C" {

uintptr_t gt_export_record_begin(gt_ctx cx, const gt_tensor* handles, int64_t n, int64_t n_parameters,
                                 gt_export_recording* out) {
  using namespace gt::exported;
  try {
    gt::enter(cx);
    TORCH_CHECK_VALUE(!tl_recording, "a function that is exported cannot export another one");
    at::autocast::clear_cache();  // it may contain casts of weights, which would be constants
    auto r = std::make_unique<Recording>(c10::ArrayRef<gt_tensor>(handles, static_cast<size_t>(n)),
                                         static_cast<size_t>(n_parameters));
    start(r.get());
    *out = reinterpret_cast<gt_export_recording>(r.release());
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_export_record_end(gt_ctx cx, gt_export_recording recording, const gt_tensor* outputs, int64_t n,
                               gt_export_out* out) {
  using namespace gt::exported;
  const std::unique_ptr<Recording> r(reinterpret_cast<Recording*>(recording));
  try {
    gt::enter(cx);
    std::vector<int64_t> results;
    for (int64_t i = 0; i < n; i++) {
      results.push_back(r->output(gt::as(outputs[i])));
      TORCH_CHECK_NOT_IMPLEMENTED(results.back() >= 0, "result ", i,
                                  " was not computed by operators that a program can contain");
    }
    start(nullptr);
    r->give(results, out);
    return 0;
  } catch (...) {
    start(nullptr);
    return gt::caught();
  }
}

void gt_export_record_module(int64_t module) {
  if (auto* r = gt::exported::tl_recording) r->module = module;
}

void gt_export_record_abort(gt_export_recording recording) {
  gt::exported::start(nullptr);
  delete reinterpret_cast<gt::exported::Recording*>(recording);
}

}  // extern "C"

#endif
