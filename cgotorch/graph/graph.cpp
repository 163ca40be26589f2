// Reads the tensors that nodes save. There are hundreds of node classes, and their saved
// tensors are private. The only generic access is the visitor of PyTorch's compiled
// autograd, to which generated nodes pass all their members; this file uses only the
// tensors. Nodes without a visitor (custom functions and some hand-written nodes) are
// marked as unreadable.
#include "graph.h"

#include "abi.hpp"

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/dynamo/compiled_autograd.h>

#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

namespace ag = torch::autograd;
namespace ca = torch::dynamo::autograd;

// A std::shared_ptr or a c10::intrusive_ptr, depending on the version of libtorch.
using NodePtr = std::decay_t<decltype(std::declval<ag::Edge>().function)>;

struct Walk {
  std::vector<NodePtr> queue;
  std::unordered_map<const ag::Node*, int64_t> number;
  std::vector<gt_graph_node> nodes;
  std::vector<int64_t> edges;
  std::vector<gt_graph_saved> saved;
  std::vector<int64_t> sizes;
  int64_t max_nodes;
  bool truncated = false;

  ~Walk() {
    for (auto& n : nodes) std::free(n.name);
  }

  // Returns the number of the node, or -1 if the limit on nodes is reached.
  int64_t visit(const NodePtr& node) {
    auto it = number.find(node.get());
    if (it != number.end()) return it->second;
    if (static_cast<int64_t>(queue.size()) >= max_nodes) {
      truncated = true;
      return -1;
    }
    const int64_t id = queue.size();
    number.emplace(node.get(), id);
    queue.push_back(node);
    return id;
  }

  void keep(const at::Tensor& t, int kind) {
    gt_graph_saved s{};
    s.tensor = reinterpret_cast<uintptr_t>(t.unsafeGetTensorImpl());
    s.device = (static_cast<int32_t>(t.device().type()) << 8) |
               static_cast<uint8_t>(t.device().index() + 1);
    s.dtype = static_cast<int8_t>(t.scalar_type());
    s.kind = static_cast<int8_t>(kind);
    s.first_size = sizes.size();
    if (!t.is_nested()) {
      s.numel = t.numel();
      for (int64_t n : t.sizes()) sizes.push_back(n);
    }
    s.n_sizes = sizes.size() - s.first_size;
    if (t.has_storage()) {
      s.storage = reinterpret_cast<uintptr_t>(t.storage().unsafeGetStorageImpl());
      s.bytes = t.storage().nbytes();
    } else {
      s.bytes = s.numel * t.element_size();
    }
    saved.push_back(s);
  }

  void read(const NodePtr& node, gt_graph_node& out) {
    if (auto* leaf = dynamic_cast<ag::AccumulateGrad*>(node.get())) {
      out.readable = 1;
      if (leaf->variable.defined()) {
        keep(leaf->variable, GT_GRAPH_PARAMETER);
        const at::Tensor& grad = leaf->variable.grad();
        if (grad.defined()) keep(grad, GT_GRAPH_GRADIENT);
      }
      return;
    }
    ca::AutogradCompilerCall call(ca::SizeInput::STATIC);
    try {
      auto& self = call.node_calls.lookup(node);
      ca::CompiledNodeArgs args(call, self);
      node->compiled_args(args);
      out.readable = 1;
    } catch (const std::exception& e) {
      if (std::strstr(e.what(), "second time")) {
        out.released = 1;
        out.readable = 1;
      }
    }
    for (const at::Tensor& t : call.tensor_args.inputs) {
      if (t.defined()) keep(t, GT_GRAPH_SAVED);
    }
  }

  void run() {
    for (size_t i = 0; i < queue.size(); i++) {
      const NodePtr node = queue[i];
      gt_graph_node out{};
      out.first_edge = edges.size();
      for (const auto& e : node->next_edges()) {
        if (!e.function) continue;
        const int64_t id = visit(e.function);
        if (id >= 0) edges.push_back(id);
      }
      out.n_edges = edges.size() - out.first_edge;
      out.first_saved = saved.size();
      read(node, out);
      out.n_saved = saved.size() - out.first_saved;
      const std::string name = node->name();
      out.name = strdup(name.c_str());
      nodes.push_back(out);
    }
  }
};

template <class T>
T* copy(const std::vector<T>& v) {
  auto* p = static_cast<T*>(std::malloc(v.size() * sizeof(T) + 1));
  if (!p) throw std::bad_alloc();
  if (!v.empty()) std::memcpy(p, v.data(), v.size() * sizeof(T));
  return p;
}

}  // namespace

extern "C" {

uintptr_t gt_graph_walk(const gt_tensor* ts, int64_t n, int64_t max_nodes, gt_graph* out) {
  *out = gt_graph{};
  try {
    Walk w;
    w.max_nodes = max_nodes;
    for (int64_t i = 0; i < n; i++) {
      const at::Tensor& t = gt::as(ts[i]);
      if (const auto node = t.grad_fn()) {
        w.visit(node);
      } else if (t.requires_grad()) {
        w.visit(ag::impl::grad_accumulator(t));
      }
    }
    w.run();
    out->edges = copy(w.edges);
    out->n_edges = w.edges.size();
    out->saved = copy(w.saved);
    out->n_saved = w.saved.size();
    out->sizes = copy(w.sizes);
    out->n_sizes = w.sizes.size();
    out->nodes = copy(w.nodes);
    out->n_nodes = w.nodes.size();
    out->truncated = w.truncated;
    w.nodes.clear();  // out now owns the nodes' names
    return 0;
  } catch (...) {
    gt_graph_free(out);
    return gt::caught();
  }
}

void gt_graph_free(gt_graph* g) {
  for (int64_t i = 0; g->nodes && i < g->n_nodes; i++) std::free(g->nodes[i].name);
  std::free(g->nodes);
  std::free(g->edges);
  std::free(g->saved);
  std::free(g->sizes);
  *g = gt_graph{};
}

uintptr_t gt_graph_shares(const gt_tensor* ts, int64_t n, int64_t* shares) {
  try {
    std::unordered_set<const ag::Node*> seen;
    std::vector<const ag::Node*> next;
    const auto add = [&](const ag::Node* node) {
      if (node && !dynamic_cast<const ag::AccumulateGrad*>(node) && seen.insert(node).second) next.push_back(node);
    };
    std::vector<NodePtr> roots;  // kept alive here, because grad_fn may create a new node for a view
    for (int64_t i = 0; i < n; i++) {
      shares[i] = 0;
      roots.push_back(gt::as(ts[i]).grad_fn());
      add(roots.back().get());
      for (; !next.empty(); shares[i]++) {
        const ag::Node* node = next.back();
        next.pop_back();
        for (const auto& e : node->next_edges()) add(e.function.get());
      }
    }
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // extern "C"
