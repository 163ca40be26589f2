// Runs programs.
#ifdef GOTORCH_TOGETHER

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>

namespace gt::exported {
namespace {

using Values = std::vector<IValue>;

// Sets autocast as a program's block does, and restores it.
class Autocast {
 public:
  Autocast(c10::DeviceType device, at::ScalarType dtype, bool on, bool cache)
      : device_(device),
        on_(at::autocast::is_autocast_enabled(device)),
        dtype_(at::autocast::get_autocast_dtype(device)),
        cache_(at::autocast::is_autocast_cache_enabled()) {
    at::autocast::set_autocast_enabled(device, on);
    at::autocast::set_autocast_dtype(device, dtype);
    at::autocast::set_autocast_cache_enabled(cache);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, on_);
    at::autocast::set_autocast_dtype(device_, dtype_);
    at::autocast::set_autocast_cache_enabled(cache_);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  c10::DeviceType device_;
  bool on_;
  at::ScalarType dtype_;
  bool cache_;
};

class Runner {
 public:
  explicit Runner(c10::ArrayRef<uint8_t> modes) : modes_(modes) {}

  int64_t node = -1;  // the number of the node that runs

  Values run(const Program& p, Values inputs) {
    Values slots(p.graph.slots);
    fill(p.graph, slots, std::move(inputs));
    execute(p.graph, slots);
    for (const auto& w : p.writes) {
      const auto& to = slots[w.to].toTensor();
      const auto& from = slots[w.from].toTensor();
      if (!to.is_same(from)) to.copy_(from);
    }
    // As in Python, the program returns the tensor that it wrote to, not the new value.
    for (const auto& w : p.writes) slots[w.from] = slots[w.to];
    return outputs(p.graph, slots);
  }

 private:
  const c10::ArrayRef<uint8_t> modes_;  // of the modules, by number

  static void fill(const Graph& g, Values& slots, Values inputs) {
    TORCH_CHECK_VALUE(inputs.size() == g.inputs.size(), "expected ", g.inputs.size(), " inputs, got ", inputs.size());
    for (size_t i = 0; i < inputs.size(); i++) slots[g.inputs[i]] = std::move(inputs[i]);
  }

  Values outputs(const Graph& g, const Values& slots) const {
    Values out;
    out.reserve(g.outputs.size());
    for (const auto& o : g.outputs) out.push_back(value(o, slots));
    return out;
  }

  // Runs a graph within another.
  Values inner(const Graph& g, Values inputs) {
    Values slots(g.slots);
    fill(g, slots, std::move(inputs));
    execute(g, slots);
    return outputs(g, slots);
  }

  void execute(const Graph& g, Values& slots) {
    Values stack;
    for (const auto& n : g.nodes) {
      node = n.number;
      stack.clear();
      for (const auto& a : n.args) stack.push_back(value(a, slots));
      switch (n.kind) {
        case GT_EXPORT_OPERATOR: n.op->callBoxed(stack); break;
        case GT_EXPORT_SYMBOL: stack = {n.function(stack)}; break;
        default: stack = block(n, std::move(stack));
      }
      node = n.number;
      TORCH_CHECK(stack.size() >= n.results.size(), "expected ", n.results.size(), " results, got ", stack.size());
      for (size_t i = 0; i < n.results.size(); i++) keep(n.results[i], std::move(stack[i]), slots);
      for (const auto at : n.last) slots[at] = {};
    }
    node = -1;
  }

  IValue value(const Argument& a, const Values& slots) const {
    switch (a.kind) {
      case Argument::constant: return a.value;
      case Argument::slot: return converted(a.wanted, slots[a.at]);
      case Argument::train: {
        const auto mode = modes_.at(a.at);
        return mode == GT_EXPORT_AS_EXPORTED ? a.value : IValue(mode == GT_EXPORT_TRAINING);
      }
      default: return made(a, [&](const Argument& item) { return value(item, slots); });
    }
  }

  static void keep(const Result& r, IValue v, Values& slots) {
    if (r.slot >= 0) slots[r.slot] = std::move(v);
    if (!r.list) return;
    TORCH_CHECK(v.isList(), "expected a list, got ", v.tagKind());
    const auto items = v.toListRef();
    TORCH_CHECK(items.size() == r.items.size(), "expected ", r.items.size(), " results in a list, got ", items.size());
    for (size_t i = 0; i < items.size(); i++) {
      if (r.items[i].slot >= 0) slots[r.items[i].slot] = items[i];
    }
  }

  static Values values(const IValue& list) {
    TORCH_CHECK_TYPE(list.isList(), "expected a list, got ", list.tagKind());
    const auto items = list.toListRef();
    return Values(items.begin(), items.end());
  }

  static bool truth(const IValue& v) {
    if (v.isTensor()) return v.toTensor().item().toBool();
    return v.isBool() ? v.toBool() : v.toScalar().toBool();
  }

  // Runs a node that has graphs.
  Values block(const Node& n, Values args) {
    const auto need = [&](size_t count, size_t graphs) {
      TORCH_CHECK_VALUE(args.size() == count && n.graphs.size() == graphs, "expected ", count, " arguments and ",
                        graphs, " graphs");
    };
    switch (n.kind) {
      case GT_EXPORT_COND: {
        need(2, 2);
        return inner(*n.graphs[truth(args[0]) ? 0 : 1], values(args[1]));
      }
      case GT_EXPORT_WHILE: {
        need(2, 2);
        auto carried = values(args[0]);
        const auto others = values(args[1]);
        const auto all = [&] {
          auto v = carried;
          v.insert(v.end(), others.begin(), others.end());
          return v;
        };
        for (;;) {
          const auto on = inner(*n.graphs[0], all());
          TORCH_CHECK(on.size() == 1, "expected one condition, got ", on.size());
          if (!truth(on[0])) return carried;
          carried = inner(*n.graphs[1], all());
        }
      }
      case GT_EXPORT_GRAD: {
        need(2, 1);
        const at::AutoGradMode guard(args[0].toBool());
        return inner(*n.graphs[0], values(args[1]));
      }
      case GT_EXPORT_AUTOCAST: {
        need(5, 1);
        const auto type = c10::Device(args[0].toStringRef()).type();
        const Autocast guard(type, args[1].isNone() ? at::autocast::get_autocast_dtype(type) : args[1].toScalarType(),
                             args[2].toBool(),
                             args[3].isNone() ? at::autocast::is_autocast_cache_enabled() : args[3].toBool());
        return inner(*n.graphs[0], values(args[4]));
      }
      default: TORCH_CHECK(false, "no kind of a node: ", n.kind);
    }
  }
};

Values inputs(Words in, const gt_tensor* handles, int64_t n_handles) {
  Values all;
  while (!in.done()) {
    const auto tag = in.word();
    switch (tag & 0xff) {
      case GT_EXPORT_NONE: all.emplace_back(); break;
      case GT_EXPORT_TENSOR:
        TORCH_CHECK(tag >> 8 < static_cast<uint64_t>(n_handles), "no tensor of this number");
        all.emplace_back(as(handles[tag >> 8]));
        break;
      case GT_EXPORT_BOOL: all.emplace_back(tag >> 8 != 0); break;
      case GT_EXPORT_INT: all.emplace_back(static_cast<int64_t>(in.word())); break;
      case GT_EXPORT_FLOAT: all.emplace_back(as_double(in.word())); break;
      case GT_EXPORT_STRING: all.emplace_back(in.text(tag >> 8)); break;
      default: TORCH_CHECK(false, "no tag of an input: ", tag & 0xff);
    }
  }
  return all;
}

// Writes the results of a run.
class Writer {
 public:
  void value(const IValue& v) {
    if (v.isTensor() && v.toTensor().defined()) {
      put(GT_EXPORT_TENSOR, tensors_.size());
      tensors_.push_back(v.toTensor());
    } else if (v.isBool()) {
      put(GT_EXPORT_BOOL, v.toBool());
    } else if (v.isInt()) {
      put(GT_EXPORT_INT);
      words_.push_back(static_cast<uint64_t>(v.toInt()));
    } else if (v.isDouble()) {
      put(GT_EXPORT_FLOAT);
      words_.push_back(bits(v.toDouble()));
    } else if (v.isComplexDouble()) {
      const auto c = v.toComplexDouble();
      put(GT_EXPORT_COMPLEX);
      words_.push_back(bits(c.real()));
      words_.push_back(bits(c.imag()));
    } else if (v.isDevice()) {
      value(v.toDevice().str());
    } else if (v.isString()) {
      const auto& s = v.toStringRef();
      put(GT_EXPORT_STRING, s.size());
      const auto at = words_.size();
      words_.resize(at + (s.size() + 7) / 8);
      if (!s.empty()) std::memcpy(&words_[at], s.data(), s.size());
    } else if (v.isList()) {
      const auto items = v.toListRef();
      put(GT_EXPORT_LIST, items.size());
      for (const auto& item : items) value(item);
    } else {
      TORCH_CHECK_TYPE(v.isNone() || v.isTensor(), "an output of type ", v.tagKind(), " has no counterpart in Go");
      put(GT_EXPORT_NONE);
    }
  }

  void slot(int64_t number) { put(GT_EXPORT_SLOT, static_cast<uint64_t>(number)); }
  void list(size_t n) { put(GT_EXPORT_LIST, n); }
  void append(const Writer& other) {  // which has no tensors
    words_.insert(words_.end(), other.words_.begin(), other.words_.end());
  }

  void give(gt_export_out* out) {
    auto* words = static_cast<uint64_t*>(std::malloc(words_.size() * sizeof(uint64_t) + 1));
    auto* tensors = static_cast<gt_tensor*>(std::malloc(tensors_.size() * sizeof(gt_tensor) + 1));
    if (!words || !tensors) {
      std::free(words);
      std::free(tensors);
      throw std::bad_alloc();
    }
    if (!words_.empty()) std::memcpy(words, words_.data(), words_.size() * sizeof(uint64_t));
    for (size_t i = 0; i < tensors_.size(); i++) tensors[i] = release(std::move(tensors_[i]));
    *out = {words, static_cast<int64_t>(words_.size()), tensors, static_cast<int64_t>(tensors_.size())};
  }

 private:
  std::vector<uint64_t> words_;
  std::vector<at::Tensor> tensors_;

  void put(int kind, uint64_t n = 0) { words_.push_back(n << 8 | kind); }
  static uint64_t bits(double d) {
    uint64_t w;
    std::memcpy(&w, &d, sizeof w);
    return w;
  }
};

}  // namespace
}  // namespace gt::exported

extern "C" {

uintptr_t gt_export_run(gt_ctx cx, gt_program p, const uint8_t* modes, int64_t n_modes, const uint64_t* words,
                        int64_t n_words, const gt_tensor* handles, int64_t n_handles, gt_export_out* out,
                        int64_t* node) {
  using namespace gt::exported;
  Runner r({modes, static_cast<size_t>(n_modes)});
  try {
    gt::enter(cx);
    const auto results = r.run(*reinterpret_cast<const Program*>(p), inputs(Words(words, n_words), handles, n_handles));
    Writer to;
    for (const auto& v : results) to.value(v);
    to.give(out);
    return 0;
  } catch (...) {
    *node = r.node;
    return gt::caught();
  }
}

void gt_export_out_free(gt_export_out* out) {
  std::free(out->words);
  std::free(out->tensors);
}

}  // extern "C"

#endif
