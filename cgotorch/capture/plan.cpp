#include "graph.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>

namespace gt::capture {

namespace {

constexpr size_t kAlign = 64;

// The overload of an operator that writes to given results, if the CPU has a kernel for it.
std::optional<c10::OperatorHandle> out_overload(const c10::OperatorHandle& op) {
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

// A copy, and zeros where the recording has freed the memory.
at::Tensor copied(const at::Tensor& t) {
  if (!t.defined()) return t;
  if (storage(t)->data() || t.numel() == 0) return t.clone();
  if (!t.is_non_overlapping_and_dense()) return at::zeros(t.sizes(), t.options());
  return at::empty_strided(t.sizes(), t.strides(), t.options()).zero_();
}

IValue copied(const IValue& v) {
  if (v.isTensor()) return copied(v.toTensor());
  if (v.isTensorList()) {
    c10::List<at::Tensor> l;
    for (const at::Tensor& t : v.toTensorList()) l.push_back(copied(t));
    return l;
  }
  if (v.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> l;
    for (const std::optional<at::Tensor>& t : v.toOptionalTensorList()) {
      l.push_back(t && t->defined() ? std::optional<at::Tensor>(copied(*t)) : std::nullopt);
    }
    return l;
  }
  return v;
}

// Whether that overload leaves results as they are given to it. Some use them for something
// else meanwhile, as means of losses do, and give them another shape or memory. It is tried,
// on copies: there are operators, such as batch normalization, that write to arguments though
// their schema does not say so. The values do not matter, as arguments may have changed since.
bool stays(const c10::OperatorHandle& op, const Call& c) {
  torch::jit::Stack stack;
  for (const IValue& a : c.args) stack.push_back(copied(a));
  std::vector<at::Tensor> results;
  for (const at::Tensor& t : c.made) {
    results.push_back(at::empty_strided(t.sizes(), t.strides(), t.options()));
    stack.push_back(results.back());
  }
  std::vector<const void*> data;
  for (const at::Tensor& t : results) data.push_back(t.const_data_ptr());
  struct Silent final : c10::WarningHandler {  // of results that are given another shape: they are looked at
    void process(const c10::Warning&) override {}
  } silent;
  c10::WarningUtils::WarningHandlerGuard quiet(&silent);
  try {
    op.redispatchBoxed(c.keys, &stack);
  } catch (const std::exception&) {
    return false;
  }
  for (size_t i = 0; i < results.size(); i++) {
    const at::Tensor &now = results[i], &was = c.made[i];
    if (now.const_data_ptr() != data[i] || now.sizes() != was.sizes() || now.strides() != was.strides()) return false;
  }
  return true;
}

// Memory that a call leaves unfilled.
bool unfilled(std::string_view name) {
  return name == "aten::empty" || name == "aten::empty_strided" || name == "aten::empty_like" || name == "aten::new_empty" ||
         name == "aten::new_empty_strided";
}

}  // namespace

bool constant(std::string_view name) {
  for (const char* c : {"zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full",
                        "scalar_tensor", "arange", "eye", "linspace"}) {
    if (name.substr(std::strlen("aten::")) == c) return true;
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
  }
  for (Call& c : calls) {
    if (c.how == How::host || c.writes) continue;
    if (c.views) {
      c.how = How::skip;
      continue;
    }
    std::unordered_set<c10::StorageImpl*> of_args, fresh;
    for (const IValue& a : c.args) tensors(a, [&](const at::Tensor& t) { of_args.insert(storage(t)); });
    bool apart = !c.made.empty(), kept = false;
    for (const at::Tensor& t : c.made) {
      apart = apart && !of_args.count(storage(t)) && fresh.insert(storage(t)).second;
      kept = kept || written_.count(storage(t));
    }
    const std::string& name = c.op->schema().name();
    if (apart && unfilled(name)) {
      c.how = How::skip;
      continue;
    }
    if (apart && !kept && constant(name)) {
      c.how = How::skip;
      for (auto* s : fresh) constants_.insert(s);
      continue;
    }
    bool plain = apart && c.outs.size() == c.made.size();
    for (const IValue& o : c.outs) plain = plain && o.isTensor() && o.toTensor().storage_offset() == 0;
    plain = plain && !c.op->hasTag(at::Tag::nondeterministic_seeded);
    if (plain && name == "aten::relu") {  // which is what its kernel does
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

namespace {

// A result within the step, and when it lives: from one call to another.
struct Block {
  c10::StorageImpl* s;
  size_t first, last, size, at = 0;
  bool swapped;
};

// Gives each block, in the order that they come in, the lowest place where nothing lives at the same
// time, and returns how large all is.
size_t lay_out(std::vector<Block>& blocks) {
  size_t bytes = 0;
  for (size_t n = 0; n < blocks.size(); n++) {
    Block& b = blocks[n];
    b.at = 0;
    std::vector<const Block*> rivals;
    for (size_t i = 0; i < n; i++) {
      if (blocks[i].first <= b.last && b.first <= blocks[i].last) rivals.push_back(&blocks[i]);
    }
    std::sort(rivals.begin(), rivals.end(), [](const Block* x, const Block* y) { return x->at < y->at; });
    for (const Block* p : rivals) {
      if (b.at + b.size > p->at) b.at = std::max(b.at, p->at + p->size);
    }
    bytes = std::max(bytes, b.at + b.size);
  }
  return bytes;
}

// Lays the blocks out in several orders, as none is best for all, and leaves the smallest.
size_t lay_out_best(std::vector<Block>& blocks) {
  using Before = bool (*)(const Block&, const Block&);
  constexpr Before orders[] = {
      [](const Block& a, const Block& b) { return a.size != b.size ? a.size > b.size : a.first < b.first; },
      [](const Block& a, const Block& b) { return a.last - a.first != b.last - b.first ? a.last - a.first > b.last - b.first : a.size > b.size; },
      [](const Block& a, const Block& b) { return a.last != b.last ? a.last > b.last : a.size > b.size; },
      [](const Block& a, const Block& b) { return a.first != b.first ? a.first < b.first : a.size > b.size; },
  };
  std::vector<Block> best;
  size_t least = SIZE_MAX;
  for (Before before : orders) {
    std::stable_sort(blocks.begin(), blocks.end(), before);
    if (const size_t bytes = lay_out(blocks); bytes < least) {
      least = bytes;
      best = blocks;
    }
  }
  blocks = std::move(best);
  return blocks.empty() ? 0 : least;
}

}  // namespace

namespace {

// What a replay needs at a time if results of less than `large` bytes lie in the block, of which
// placed becomes the layout, and others are allocated when they are made.
size_t peak_of(const std::vector<Block>& all, size_t large, size_t calls, std::vector<Block>& placed, size_t& arena) {
  std::vector<int64_t> change(calls + 2);  // of what is allocated, from one call to the next
  placed.clear();
  for (Block b : all) {
    if (!b.swapped && b.size < large) {
      if (b.size) placed.push_back(b);
      continue;
    }
    change[b.first] += static_cast<int64_t>(b.size);
    change[b.last + 1] -= static_cast<int64_t>(b.size);
  }
  arena = lay_out_best(placed);
  int64_t now = 0, most = 0;
  for (const int64_t c : change) most = std::max(most, now += c);
  return arena + static_cast<size_t>(most);
}

// Chooses what is large, so that a replay needs the least memory, but for a few hundredths: a block for
// all of it saves the calls of the allocator, but is there all the time, beside what calls allocate
// for themselves.
size_t lay_out_all(const std::vector<Block>& all, size_t calls, std::vector<Block>& placed, size_t& arena) {
  size_t best = SIZE_MAX, large = 0;
  for (const size_t l : {size_t{1} << 20, size_t{1} << 16, size_t{1} << 13}) {
    std::vector<Block> p;
    size_t a = 0;
    if (const size_t peak = peak_of(all, l, calls, p, a); peak < best - best / 32) {
      best = peak;
      large = l;
      arena = a;
      placed = std::move(p);
    }
  }
  return large;
}

}  // namespace

// Lifetimes of the results within decide where each lies. What others hold too, gradients and results
// of the step, lives to the end; the next replay makes it anew before anything reads it. Large
// results are not worth a place of their own: they are allocated when they are made and freed after their last
// use, as without a graph, beside what kernels allocate for themselves.
void Graph::place() {
  std::unordered_map<c10::StorageImpl*, Block> blocks;
  std::unordered_set<c10::StorageImpl*> apart;
  for (size_t n = 0; n < calls.size(); n++) {
    const Call& c = calls[n];
    if (c.how != How::host && !c.writes && !c.views) {
      for (const at::Tensor& t : c.made) {
        auto* s = storage(t);
        if (!constants_.count(s)) {
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
      for (const auto* list : {&c.host->grads, &c.host->writes}) {
        for (const at::Tensor& t : *list) {
          if (t.defined()) touch(t);
        }
      }
    }
    // What a call that copies its results wrote has to be there for the next replay.
    if (c.how == How::copy) {
      for (const at::Tensor& t : c.made) apart.insert(storage(t));
    }
  }
  std::vector<Block> all, placed;
  for (auto& [s, b] : blocks) {
    stats.eager_bytes += b.size;
    if (escapes_.count(s)) {
      stats.own_bytes += b.size;
      b.last = calls.size();
    }
    if (!apart.count(s)) all.push_back(b);
    else if (!s->data() && b.size) s->set_data_ptr_noswap(c10::GetCPUAllocator()->allocate(s->nbytes()));
  }
  std::sort(all.begin(), all.end(), [](const Block& a, const Block& b) { return a.first < b.first; });
  size_t bytes = 0;
  const size_t large = lay_out_all(all, calls.size(), placed, bytes);
  for (const Block& b : all) {
    if (!b.swapped && b.size < large) continue;
    if (!b.swapped) calls[b.first].first.push_back(b.s);
    if (escapes_.count(b.s)) {
      anew_.push_back(b.s);
    } else {
      calls[b.last].last.push_back(b.s);
      b.s->set_data_ptr_noswap(c10::DataPtr(nullptr, c10::Device(c10::kCPU)));
    }
  }
  stats.arena_bytes = static_cast<int64_t>(bytes);
  // What it replaces goes first, but for values that somebody may read before the next replay.
  for (const Block& b : placed) {
    if (!escapes_.count(b.s)) b.s->set_data_ptr_noswap(c10::DataPtr(nullptr, c10::Device(c10::kCPU)));
  }
  arena = at::empty({static_cast<int64_t>(bytes)}, at::TensorOptions().dtype(at::kByte));
  auto* base = static_cast<uint8_t*>(arena.mutable_data_ptr());
  stats.arena = base;
  for (const Block& b : placed) {
    if (!escapes_.count(b.s)) {
      b.s->set_data_ptr_noswap(c10::DataPtr(base + b.at, c10::Device(c10::kCPU)));
      continue;
    }
    std::memcpy(base + b.at, b.s->data(), b.s->nbytes());
    // Whoever holds it keeps the block alive, the graph may be gone.
    b.s->set_data_ptr_noswap(c10::DataPtr(base + b.at, new at::Tensor(arena), [](void* held) { delete static_cast<at::Tensor*>(held); },
                                          c10::Device(c10::kCPU)));
  }
}

void Graph::plan() {
  at::AutoDispatchBelowADInplaceOrView below;
  std::unordered_map<c10::StorageImpl*, std::pair<int64_t, at::Tensor>> held;
  auto count = [&](const at::Tensor& t) {
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
      c.direct = direct(schema.name(), schema.overload_name(), c.args);
    }
    if (c.how != How::out) continue;
    for (const at::Tensor& t : c.made) c.places.push_back({storage(t)->mutable_data(), t.numel()});
  }
}

}  // namespace gt::capture
