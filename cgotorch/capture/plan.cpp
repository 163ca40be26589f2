#include "copies.hpp"
#include "graph.hpp"
#include "kernels.hpp"
#include "layout.hpp"
#include "own.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>

namespace gt::capture {

namespace {

// The overload of an operator that writes to given results, if it has a CPU kernel. For an operator with a
// kernel of this library it would be libtorch's, which is slower.
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

// Whether that overload gives the same results as the operator when results are passed as a replay does. Some
// use them for temporaries, as means of losses do, and change their shape or memory. Some add to existing
// values, or give other results for some layouts. Both are tested on copies, because some operators, such as
// batch normalization, write to arguments although their schema does not say so.
bool stays(const c10::OperatorHandle& op, const Call& c) {
  constexpr size_t kMost = size_t{32} << 20;  // larger tests are not worth their time
  size_t bytes = 0;
  bool places = false;  // an index is in memory that no longer exists, so a kernel might read outside
  for (const auto* values : {&c.args, &c.outs}) {
    for (const IValue& v : *values) {
      tensors(v, [&](const at::Tensor& t) {
        bytes += t.numel() * t.element_size();
        places = places || (values == &c.args && at::isIntegralType(t.scalar_type(), false) && !storage(t)->data());
      });
    }
  }
  if (bytes > kMost || places) return false;
  // The shape of a result may change, which is checked below.
  struct Silent final : c10::WarningHandler {
    void process(const c10::Warning&) override {}
  } silent;
  c10::WarningUtils::WarningHandlerGuard quiet(&silent);
  torch::jit::Stack wanted = copied(c.args), stack = undeclared(*c.op).empty() ? wanted : copied(c.args);
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
    op.redispatchBoxed(c.keys, &stack);
    for (size_t i = 0; i < results.size(); i++) {
      if (results[i].const_data_ptr() != data[i] || results[i].strides() != c.made[i].strides()) return false;
    }
  } catch (const std::exception&) {
    return false;
  }
  return std::equal(want.begin(), want.end(), results.begin(), results.end(), same_bits);
}

// Memory that a call leaves uninitialized.
bool unfilled(std::string_view name) {
  return name == "aten::empty" || name == "aten::empty_strided" || name == "aten::empty_like" ||
         name == "aten::new_empty" || name == "aten::new_empty_strided";
}

// The memory of a call's arguments.
std::unordered_set<c10::StorageImpl*> memory_of_args(const Call& c) {
  std::unordered_set<c10::StorageImpl*> of_args;
  for (const IValue& a : c.args) tensors(a, [&](const at::Tensor& t) { of_args.insert(storage(t)); });
  return of_args;
}

// Whether a call that writes to arguments also has results in their own memory.
bool makes(const Call& c) {
  const auto of_args = memory_of_args(c);
  return std::any_of(c.made.begin(), c.made.end(), [&](const at::Tensor& t) { return !of_args.count(storage(t)); });
}

}  // namespace

std::vector<size_t> undeclared(const c10::OperatorHandle& op) {
  const std::string& name = op.schema().name();
  if (name == "aten::native_batch_norm" || name == "aten::_batch_norm_impl_index") return {3, 4};
  if (name == "aten::batch_norm_update_stats") return {1, 2};
  return {};
}

bool constant(const Call& c) {
  const std::string_view name = std::string_view(c.op->schema().name()).substr(std::strlen("aten::"));
  for (const char* of_shape : {"zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full"}) {
    if (name == of_shape) return true;
  }
  for (const char* of_numbers : {"zeros", "ones", "full", "scalar_tensor", "arange", "eye", "linspace"}) {
    if (name != of_numbers) continue;
    bool numbers = true;  // other overloads take tensors
    for (const IValue& a : c.args) tensors(a, [&](const at::Tensor&) { numbers = false; });
    return numbers;
  }
  return false;
}

void Graph::choose() {
  for (Call& c : calls) {
    if (c.how == How::host) {
      for (const at::Tensor& t : c.host->writes) written_.insert(storage(t));
    } else if (c.writes) {
      const auto& args = c.op->schema().arguments();
      for (size_t i = 0; i < args.size(); i++) {
        const auto* alias = args[i].alias_info();
        if (alias && alias->isWrite()) tensors(c.args[i], [&](const at::Tensor& t) { written_.insert(storage(t)); });
      }
    }
    for (const size_t i : c.op ? undeclared(*c.op) : std::vector<size_t>())
      tensors(c.args[i], [&](const at::Tensor& t) { written_.insert(storage(t)); });
  }
  for (const External& e : externals) {
    if (written_.count(e.memory)) written_outside_.insert(e.memory);
  }
  // In a larger step, a constant that stays costs more than it saves.
  size_t bytes = 0;
  for (const Call& c : calls) {
    for (const at::Tensor& t : c.made) bytes += t.numel() * t.element_size();
  }
  const bool small = bytes < size_t{1} << 20;
  std::unordered_set<c10::StorageImpl*> read;
  for (const Call& c : calls) {
    if (!c.views) read.merge(memory_of_args(c));
  }
  for (Call& c : calls) {
    if (c.how == How::host) continue;
    if (c.writes) {
      // A tensor with a view's shape keeps it from here on.
      if (c.op->hasTag(at::Tag::inplace_view)) c.how = How::skip;
      else if (makes(c)) c.how = How::swap;
      continue;
    }
    if (c.views) {
      c.how = How::skip;
      continue;
    }
    const auto of_args = memory_of_args(c);
    std::unordered_set<c10::StorageImpl*> fresh;
    bool apart = !c.made.empty(), kept = false;
    for (const at::Tensor& t : c.made) {
      apart = apart && !of_args.count(storage(t)) && fresh.insert(storage(t)).second;
      kept = kept || written_.count(storage(t)) || escapes_.count(storage(t));
    }
    const std::string& name = c.op->schema().name();
    if (apart && unfilled(name)) {
      for (auto* s : fresh) {
        if (written_.count(s) || (!read.count(s) && !escapes_.count(s))) continue;
        failed_at = c.stack;
        TORCH_CHECK(false, name, " makes memory that no operator fills, and a replay would not either");
      }
      c.how = How::skip;
      continue;
    }
    if (apart && !kept && constant(c) && (small || fresh.empty())) {
      c.how = How::skip;
      for (auto* s : fresh) constants_.insert(s);
      made_.insert(fresh.begin(), fresh.end());
      continue;
    }
    bool plain = apart && c.outs.size() == c.made.size();
    for (const IValue& o : c.outs) plain = plain && o.isTensor() && o.toTensor().storage_offset() == 0;
    plain = plain && !c.op->hasTag(at::Tag::nondeterministic_seeded);
    for (const at::Tensor& t : c.made) plain = plain && !t.is_conj() && !t.is_neg();  // a copy would drop these flags
    if (plain && name == "aten::relu") {  // the kernel of relu calls this
      c.op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::clamp_min", "out");
      c.args.insert(c.args.end(), {c10::Scalar(0), c.outs[0]});
      c.how = How::out;
    } else if (auto o = plain ? out_overload(*c.op) : std::nullopt;
               o && (known(o->schema().name(), o->schema().overload_name()) || stays(*o, c))) {
      c.op = *o;
      c.args.insert(c.args.end(), c.outs.begin(), c.outs.end());
      c.how = How::out;
    } else {
      c.how = apart ? How::swap : How::copy;
    }
  }
}

// In a small step, a call's own result that others hold is copied to its old place, up to this size.
constexpr size_t kKept = size_t{2} << 10;

// Lifetimes of the results within the step decide where each is placed. A result that others also hold, such
// as gradients and results of the step, is live until the end; the next replay computes it before anything
// reads it. Large results get no place: they are allocated when they are computed and freed after their last
// use, as without a graph, in addition to what kernels allocate.
void Graph::place() {
  std::unordered_map<c10::StorageImpl*, Block> blocks;
  std::unordered_set<c10::StorageImpl*> apart;
  for (size_t n = 0; n < calls.size(); n++) {
    const Call& c = calls[n];
    if (c.how != How::host && (!c.writes || c.how == How::swap) && !c.views) {
      const auto of_args = c.writes ? memory_of_args(c) : std::unordered_set<c10::StorageImpl*>();
      for (const at::Tensor& t : c.made) {
        auto* s = storage(t);
        if (!constants_.count(s) && !of_args.count(s)) {
          blocks.emplace(s, Block{s, n, n, (s->nbytes() + kAlign - 1) / kAlign * kAlign, 0, c.how == How::swap});
        }
      }
    }
    auto touch = [&](const at::Tensor& t) {
      if (auto it = blocks.find(storage(t)); it != blocks.end()) it->second.last = n;
    };
    for (const auto* values : {&c.outs, &c.args}) {
      for (const IValue& v : *values) tensors(v, touch);
    }
    if (c.host) {
      for (const auto* list : {&c.host->grads, &c.host->reads, &c.host->writes}) {
        for (const at::Tensor& t : *list) {
          if (t.defined()) touch(t);
        }
      }
    }
    // Results that a call copies must exist for the next replay.
    if (c.how == How::copy) {
      for (const at::Tensor& t : c.made) apart.insert(storage(t));
    }
  }
  std::vector<Block> all;
  for (auto& [s, b] : blocks) {
    stats.eager_bytes += b.size;
    made_.insert(s);
    if (escapes_.count(s)) {
      stats.own_bytes += b.size;
      b.last = calls.size();
    }
    if (!apart.count(s)) all.push_back(b);
    else if (!s->data() && b.size) s->set_data_ptr_noswap(c10::GetCPUAllocator()->allocate(s->nbytes()));
  }
  std::sort(all.begin(), all.end(), [](const Block& a, const Block& b) { return a.first < b.first; });
  const bool small = stats.eager_bytes < int64_t{1} << 20;
  const Layout layout = lay_out(all, calls.size());
  for (const Block& b : all) {
    if (!b.swapped && b.size < layout.large) continue;
    // Others may look for it at this address.
    if (small && b.swapped && escapes_.count(b.s) && b.size <= kKept && b.s->data()) {
      kept_.insert(b.s);
      continue;
    }
    if (!b.swapped) calls[b.first].first.push_back(b.s);
    if (escapes_.count(b.s)) {
      anew_.push_back(b.s);
    } else {
      calls[b.last].last.push_back(b.s);
      b.s->set_data_ptr_noswap(c10::DataPtr(nullptr, c10::Device(c10::kCPU)));
    }
  }
  // The replaced memory is freed first, except values that may be read before the next replay.
  for (const Block& b : layout.blocks) {
    if (!escapes_.count(b.s)) b.s->set_data_ptr_noswap(c10::DataPtr(nullptr, c10::Device(c10::kCPU)));
  }
  const size_t sizes[] = {layout.first(), layout.second()};
  for (int i = 0; i < 2; i++) {
    if (!sizes[i]) continue;
    arena[i] = at::empty({static_cast<int64_t>(sizes[i])}, at::TensorOptions().dtype(at::kByte));
    stats.arena[i] = arena[i].mutable_data_ptr();
    stats.arena_bytes[i] = static_cast<int64_t>(sizes[i]);
  }
  for (const Block& b : layout.blocks) {
    const int part = b.at >= layout.border;
    auto* to = static_cast<uint8_t*>(arena[part].mutable_data_ptr()) + (part ? b.at - layout.border : b.at);
    if (!escapes_.count(b.s)) {
      b.s->set_data_ptr_noswap(c10::DataPtr(to, c10::Device(c10::kCPU)));
      continue;
    }
    std::memcpy(to, b.s->data(), b.s->nbytes());
    // The holder keeps that part alive even if the graph is gone.
    b.s->set_data_ptr_noswap(c10::DataPtr(
        to, new at::Tensor(arena[part]), [](void* held) { delete static_cast<at::Tensor*>(held); },
        c10::Device(c10::kCPU)));
  }
}

void Graph::plan() {
  at::AutoDispatchBelowADInplaceOrView below;
  std::unordered_map<c10::StorageImpl*, std::pair<int64_t, at::Tensor>> held;
  std::unordered_set<c10::TensorImpl*> aliases;  // a call may have the same alias several times
  auto count = [&](const at::Tensor& t) {
    if (!aliases.insert(t.unsafeGetTensorImpl()).second) return;
    auto& h = held[storage(t)];
    h.first++;
    h.second = t;
  };
  for (const Call& c : calls) {
    for (const auto* values : {&c.args, &c.outs}) {
      for (const IValue& v : *values) tensors(v, count);
    }
  }
  for (const auto& [s, h] : held) {
    if (static_cast<int64_t>(h.second.storage().use_count()) > h.first) escapes_.insert(s);
  }
  held.clear();
  choose();
  place();
  stats.calls = static_cast<int64_t>(calls.size());
  for (Call& c : calls) {
    stats.replayed += c.how != How::skip;
    if (c.how == How::out || c.how == How::write) {
      const auto& schema = c.op->schema();
      c.direct = own_elements(c);
      if (!c.direct) c.direct = direct(schema.name(), schema.overload_name(), c.args);
      c.product = own_product(c);
    }
    if (c.how != How::out) continue;
    for (const at::Tensor& t : c.made) c.places.push_back({storage(t)->mutable_data(), t.numel()});
  }
  if (renews) find_fresh();
}

}  // namespace gt::capture
