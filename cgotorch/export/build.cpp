// Builds programs from words.
#ifdef GOTORCH_TOGETHER

#include <ATen/ScalarOps.h>

namespace gt::exported {
namespace {

// Graphs that are nested deeper are rejected, because they are built and run recursively.
constexpr int deepest = 50;

c10::OperatorHandle find(const std::string& name, const std::string& overload) {
  const auto op = c10::Dispatcher::singleton().findSchema({name, overload});
  if (!op) throw MissingOperator("there is no operator " + name + (overload.empty() ? "" : "." + overload));
  return *op;
}

class Builder {
 public:
  Builder(const uint64_t* words, int64_t n, c10::ArrayRef<gt_tensor> handles = {})
      : in_(words, n), handles_(handles) {}

  int64_t node = -1;  // the number of the node that is being built

  std::unique_ptr<Program> program() {
    auto p = std::make_unique<Program>();
    graph(p->graph, 0);
    for (auto n = in_.count(); n; n--) {
      const auto from = slot(p->graph);
      p->writes.push_back({from, slot(p->graph)});
    }
    TORCH_CHECK(in_.done(), "too many words");
    finish(p->graph, p->writes);
    return p;
  }

  // Reads the arguments of a call that is not part of a program.
  std::vector<IValue> arguments(const c10::OperatorHandle& op) {
    Node n;
    n.op = op;
    arguments(Graph{}, n, 0);
    TORCH_CHECK(in_.done(), "too many words");
    std::vector<IValue> all;
    for (const auto& a : n.args) all.push_back(a.value);
    return all;
  }

  // Reads the results of a kernel and, if dims is set, the batch dimension of each.
  std::vector<IValue> results(c10::ArrayRef<c10::Argument> returns, bool dims) {
    std::vector<IValue> all;
    TORCH_CHECK_VALUE(in_.count() == returns.size() * (dims ? 2 : 1), "expected ", returns.size(), " results");
    for (const auto& r : returns) {
      all.push_back(argument(Graph{}, r.real_type(), std::nullopt, 0).value);
      const auto& v = all.back();
      TORCH_CHECK_TYPE(v.type()->isSubtypeOf(*r.type()), "expected a result of type ", r.type()->str(), ", got ",
                       v.tagKind());
    }
    for (size_t i = 0; dims && i < returns.size(); i++) {
      all.push_back(argument(Graph{}, c10::OptionalType::create(c10::IntType::get()), std::nullopt, 0).value);
    }
    TORCH_CHECK(in_.done(), "too many words");
    return all;
  }

 private:
  Words in_;
  c10::ArrayRef<gt_tensor> handles_;

  void graph(Graph& g, int depth) {
    TORCH_CHECK(depth < deepest, "graphs that are nested too deeply");
    g.slots = static_cast<int64_t>(in_.word());
    for (auto n = in_.count(); n; n--) g.inputs.push_back(slot(g));
    for (auto n = in_.count(); n; n--) {
      g.nodes.emplace_back();
      fill(g, g.nodes.back(), depth);
    }
    node = -1;
    g.outputs = list(g, nullptr, depth);
    if (depth) finish(g, {});
  }

  int64_t slot(const Graph& g) { return slot(g, in_.word()); }
  static int64_t slot(const Graph& g, uint64_t at) {
    TORCH_CHECK(at < static_cast<uint64_t>(g.slots), "no slot of this number");
    return static_cast<int64_t>(at);
  }

  void fill(const Graph& g, Node& n, int depth) {
    n.kind = static_cast<int>(in_.word());
    n.number = node = static_cast<int64_t>(in_.word());
    switch (n.kind) {
      case GT_EXPORT_OPERATOR: call(g, n, depth); break;
      case GT_EXPORT_SYMBOL: {
        const auto name = in_.text();
        n.function = symbol(name);
        if (!n.function) throw MissingOperator("the function " + name + " is not supported");
        n.args = list(g, nullptr, depth);
        break;
      }
      default:
        n.args = list(g, nullptr, depth);
        for (auto k = in_.count(); k; k--) {
          n.graphs.push_back(std::make_unique<Graph>());
          graph(*n.graphs.back(), depth + 1);
        }
        node = n.number;
    }
    n.results = results(g, depth);
  }

  // Reads a call of an operator.
  void call(const Graph& g, Node& n, int depth) {
    const auto name = in_.text(), overload = in_.text();
    n.op = find(name, overload);
    arguments(g, n, depth);
  }

  // Reads the arguments of a call. They have names, in any order, or are in the order of the
  // schema; those that are missing get their defaults.
  void arguments(const Graph& g, Node& n, int depth) {
    const auto& wanted = n.op->schema().arguments();
    std::vector<std::optional<Argument>> given(wanted.size());
    size_t next = 0;
    for (auto k = in_.count(); k; k--) {
      const auto arg = in_.text();
      auto it = std::find_if(wanted.begin(), wanted.end(), [&](const auto& a) { return a.name() == arg; });
      if (arg.empty()) {
        TORCH_CHECK_VALUE(next < wanted.size() && !wanted[next].kwarg_only(), "too many arguments for ",
                          n.op->schema());
        it = wanted.begin() + static_cast<std::ptrdiff_t>(next++);
      }
      TORCH_CHECK_VALUE(it != wanted.end(), "there is no argument ", arg, " in ", n.op->schema());
      auto& to = given[it - wanted.begin()];
      TORCH_CHECK_VALUE(!to, "two arguments ", it->name());
      to = argument(g, it->real_type(), it->N(), depth);
    }
    for (size_t i = 0; i < wanted.size(); i++) {
      if (!given[i]) {
        TORCH_CHECK_VALUE(wanted[i].default_value(), "no argument ", wanted[i].name(), " for ", n.op->schema());
        given[i].emplace();
        given[i]->value = *wanted[i].default_value();
      }
      n.args.push_back(std::move(*given[i]));
    }
  }

  std::vector<Argument> list(const Graph& g, const TypePtr& of, int depth) {
    const auto tag = in_.word();
    TORCH_CHECK((tag & 0xff) == GT_EXPORT_LIST, "expected a list");
    return items(g, of, in_.count(tag), depth);
  }

  std::vector<Argument> items(const Graph& g, const TypePtr& of, size_t n, int depth) {
    std::vector<Argument> all;
    all.reserve(n);
    for (; n; n--) all.push_back(argument(g, of, std::nullopt, depth + 1));
    return all;
  }

  // Reads an argument of the given type, or of any type if it is null. A list of n numbers may be
  // given as one number.
  Argument argument(const Graph& g, TypePtr type, std::optional<int32_t> n, int depth) {
    TORCH_CHECK(depth < 2 * deepest, "a value that is nested too deeply");
    while (type && type->kind() == TypeKind::OptionalType) type = type->expectRef<c10::OptionalType>().getElementType();
    Argument a;
    a.wanted = wanted(type);
    const auto tag = in_.word();
    const auto number = tag >> 8;
    switch (tag & 0xff) {
      case GT_EXPORT_NONE: break;
      case GT_EXPORT_SLOT:
        a.kind = Argument::slot;
        a.at = slot(g, number);
        break;
      case GT_EXPORT_TENSOR:
        TORCH_CHECK(number < handles_.size(), "no tensor of this number");
        a.value = as(handles_[number]);
        break;
      case GT_EXPORT_TRAIN:
        a.kind = Argument::train;
        a.at = static_cast<int64_t>(number >> 1);
        a.value = (number & 1) != 0;
        break;
      case GT_EXPORT_BOOL: a.value = number != 0; break;
      case GT_EXPORT_INT: a.value = static_cast<int64_t>(in_.word()); break;
      case GT_EXPORT_FLOAT: a.value = as_double(in_.word()); break;
      case GT_EXPORT_COMPLEX: {
        const auto re = as_double(in_.word());
        a.value = c10::complex<double>(re, as_double(in_.word()));
        break;
      }
      case GT_EXPORT_STRING: a.value = in_.text(number); break;
      case GT_EXPORT_DEVICE: a.value = device(number); break;
      case GT_EXPORT_LIST: {
        a.kind = Argument::list;
        const auto* l = type ? type->castRaw<c10::ListType>() : nullptr;
        if (l) a.element = l->getElementType();
        a.items = items(g, a.element, in_.count(tag), depth);
        break;
      }
      default: TORCH_CHECK(false, "no tag of a value: ", tag & 0xff);
    }
    if (a.kind == Argument::constant && type) fit(a, *type, n);
    if (a.kind == Argument::list && all_constant(a)) {
      a.value = made(a, [](const Argument& item) { return item.value; });
      std::vector<Argument>().swap(a.items);  // frees memory
      a.kind = Argument::constant;
    }
    return a;
  }

  static Wanted wanted(const TypePtr& type) {
    if (!type) return Wanted::any;
    if (type->kind() == TypeKind::TensorType) return Wanted::tensor;
    return type->kind() == TypeKind::FloatType ? Wanted::real : Wanted::any;
  }

  static void fit(Argument& a, const c10::Type& type, std::optional<int32_t> n) {
    if (const auto* l = type.castRaw<c10::ListType>()) {
      if (!a.value.isInt() && !a.value.isDouble()) return;
      const auto each = a.value;
      a.element = l->getElementType();
      a.items.assign(n.value_or(1), Argument{Argument::constant, wanted(a.element), each});
      a.value = made(a, [](const Argument& item) { return converted(item.wanted, item.value); });
      std::vector<Argument>().swap(a.items);  // frees memory
      return;
    }
    a.value = converted(a.wanted, a.value);
  }

  static bool all_constant(const Argument& a) {
    return std::all_of(a.items.begin(), a.items.end(), [](const Argument& i) { return i.kind == Argument::constant; });
  }

  std::vector<Result> results(const Graph& g, int depth) {
    TORCH_CHECK(depth < 2 * deepest, "results that are nested too deeply");
    std::vector<Result> all;
    for (auto n = in_.count(); n; n--) {
      const auto tag = in_.word();
      Result r;
      switch (tag & 0xff) {
        case GT_EXPORT_NONE: break;
        case GT_EXPORT_SLOT: r.slot = slot(g, tag >> 8); break;
        case GT_EXPORT_LIST:
          r.list = true;
          for (auto k = in_.count(tag); k; k--) {
            const auto item = in_.word();
            Result to;
            if ((item & 0xff) == GT_EXPORT_SLOT) to.slot = slot(g, item >> 8);
            r.items.push_back(to);
          }
          break;
        default: TORCH_CHECK(false, "no tag of a result: ", tag & 0xff);
      }
      all.push_back(std::move(r));
    }
    return all;
  }

  // Finds the last reader of each slot, so that values are freed at once. Outputs and written
  // tensors stay.
  static void finish(Graph& g, const std::vector<Write>& writes) {
    std::vector<bool> seen(g.slots);
    const auto reads = [&](const Argument& a, auto& self, std::vector<int64_t>* last) -> void {
      if (a.kind == Argument::slot && !seen[a.at]) {
        seen[a.at] = true;
        if (last) last->push_back(a.at);
      }
      for (const auto& item : a.items) self(item, self, last);
    };
    const auto makes = [&](const Result& r, auto& self, std::vector<int64_t>& last) -> void {
      if (r.slot >= 0 && !seen[r.slot]) {
        seen[r.slot] = true;
        last.push_back(r.slot);
      }
      for (const auto& item : r.items) self(item, self, last);
    };
    for (const auto& o : g.outputs) reads(o, reads, nullptr);
    for (const auto& w : writes) seen[w.from] = seen[w.to] = true;
    for (auto n = g.nodes.rbegin(); n != g.nodes.rend(); ++n) {
      for (const auto& r : n->results) makes(r, makes, n->last);
      for (const auto& a : n->args) reads(a, reads, &n->last);
    }
  }
};

}  // namespace
}  // namespace gt::exported

extern "C" {

uintptr_t gt_export_build(gt_ctx cx, const uint64_t* words, int64_t n, gt_program* out, int64_t* node) {
  gt::exported::Builder b(words, n);
  try {
    gt::enter(cx);
    *out = reinterpret_cast<gt_program>(b.program().release());
    return 0;
  } catch (...) {
    *node = b.node;
    return gt::caught();
  }
}

void gt_export_free(gt_program p) { delete reinterpret_cast<gt::exported::Program*>(p); }

}  // extern "C"

#endif
