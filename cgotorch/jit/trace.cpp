// Traces: records the operators that a function calls as a TorchScript program.
#ifdef GOTORCH_TOGETHER

#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/passes/normalize_ops.h>

namespace gt::jit {
namespace {

namespace tracer = torch::jit::tracer;

struct Trace {
  torch::jit::Module module;
  std::shared_ptr<tracer::TracingState> state;
};

// Makes a module from its description: a tuple of the name of its class, whether it trains,
// a list of its tensors (name, whether it is a parameter, tensor), and a list of its
// children (name, description).
torch::jit::Module described(const IValue& v, const std::shared_ptr<torch::jit::CompilationUnit>& unit) {
  const auto& d = v.toTupleRef().elements();
  torch::jit::Module m(c10::QualifiedName("__torch__." + d[0].toStringRef()), unit, true);
  m.register_attribute("training", c10::BoolType::get(), d[1].toBool());
  for (const IValue& t : d[2].toListRef()) {
    const auto& item = t.toTupleRef().elements();
    if (item[1].toBool()) {
      m.register_parameter(item[0].toStringRef(), item[2].toTensor(), false);
    } else {
      m.register_buffer(item[0].toStringRef(), item[2].toTensor());
    }
  }
  for (const IValue& c : d[3].toListRef()) {
    const auto& item = c.toTupleRef().elements();
    m.register_module(item[0].toStringRef(), described(item[1], unit));
  }
  return m;
}

// Makes the tensors of a module attributes in the graph, where they would be constants.
void name_tensors(torch::jit::Graph& g, torch::jit::Value* self, const torch::jit::Module& m) {
  for (const auto& p : m.named_parameters(false)) tracer::setValueTrace(p.value, g.insertGetAttr(self, p.name));
  for (const auto& b : m.named_buffers(false)) tracer::setValueTrace(b.value, g.insertGetAttr(self, b.name));
  for (const auto& c : m.named_children()) name_tensors(g, g.insertGetAttr(self, c.name), c.value);
}

}  // namespace
}  // namespace gt::jit

extern "C" {

uintptr_t gt_jit_trace_begin(gt_ctx cx, const uint64_t* words, int64_t n_words, const gt_tensor* handles,
                             int64_t n_handles, int64_t n_inputs, gt_jit_trace* out) {
  using namespace gt::jit;
  try {
    gt::enter(cx);
    TORCH_CHECK(!tracer::isTracing(), "a function that is traced cannot be traced again");
    Reader in(words, n_words, handles, n_handles);
    auto unit = std::make_shared<torch::jit::CompilationUnit>();
    auto t = std::make_unique<Trace>(
        Trace{described(in.value(c10::AnyType::get()), unit), std::make_shared<tracer::TracingState>()});
    auto& g = *t->state->graph;
    t->state->lookup_var_name_fn = [](const at::Tensor&) { return std::string(); };
    tracer::setTracingState(t->state);
    auto* self = g.addInput("self")->setType(t->module._ivalue()->type());
    name_tensors(g, self, t->module);
    for (int64_t i = 0; i < n_inputs; i++) {
      tracer::setValueTrace(gt::as(handles[i]), g.addInput("input" + std::to_string(i)));
    }
    *out = reinterpret_cast<gt_jit_trace>(t.release());
    return 0;
  } catch (...) {
    tracer::setTracingState(nullptr);
    return caught();
  }
}

uintptr_t gt_jit_trace_end(gt_jit_trace trace, const gt_tensor* outputs, int64_t n, gt_jit_module* out) {
  using namespace gt::jit;
  const std::unique_ptr<Trace> t(reinterpret_cast<Trace*>(trace));
  try {
    const auto graph = t->state->graph;
    std::vector<torch::jit::Value*> values;
    for (int64_t i = 0; i < n; i++) {
      TORCH_CHECK(t->state->hasValue(gt::as(outputs[i])), "result ", i,
                  " was not computed by operators that a trace records");
      values.push_back(t->state->getOutput(gt::as(outputs[i]), i));
    }
    tracer::setTracingState(nullptr);
    if (n == 1) {
      graph->registerOutput(values[0]);
    } else {
      graph->registerOutput(graph->insertNode(graph->createTuple(values))->output());
    }
    torch::jit::Inline(*graph);
    torch::jit::NormalizeOps(graph);
    torch::jit::EliminateDeadCode(graph);
    const auto type = t->module.type();
    type->addMethod(t->module._ivalue()->compilation_unit()->create_function(
        c10::QualifiedName(*type->name(), "forward"), graph));
    *out = give(std::move(t->module));
    return 0;
  } catch (...) {
    tracer::setTracingState(nullptr);
    return caught();
  }
}

void gt_jit_trace_abort(gt_jit_trace trace) {
  torch::jit::tracer::setTracingState(nullptr);
  delete reinterpret_cast<gt::jit::Trace*>(trace);
}

}  // extern "C"

#endif
