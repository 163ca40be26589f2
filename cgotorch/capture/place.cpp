#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "graph.hpp"
#include "layout.hpp"

#include <ATen/ops/empty.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>

namespace gt::capture {

namespace {

// In a small step, results of How::swap up to this size keep their memory if something else holds them.
constexpr size_t kCopiedInPlace = size_t{2} << 10;

}  // namespace

std::vector<Block> Graph::find_blocks() const {
  std::unordered_map<c10::StorageImpl*, Block> blocks;
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
    const auto extend = [&](const at::Tensor& t) {
      if (auto it = blocks.find(storage(t)); it != blocks.end()) it->second.last = n;
    };
    for (const auto* values : {&c.outs, &c.args}) {
      for (const IValue& v : *values) tensors(v, extend);
    }
    if (c.host) {
      for (const auto* list : {&c.host->grads, &c.host->reads, &c.host->writes}) {
        for (const at::Tensor& t : *list) {
          if (t.defined()) extend(t);
        }
      }
    }
  }
  std::vector<Block> all;
  for (const auto& [_, b] : blocks) all.push_back(b);
  std::sort(all.begin(), all.end(), [](const Block& a, const Block& b) { return a.first < b.first; });
  return all;
}

void Graph::note_results(std::vector<Block>& blocks) {
  for (Block& b : blocks) {
    stats.eager_bytes += b.size;
    made_.insert(b.s);
    if (escapes_.count(b.s)) {
      stats.own_bytes += b.size;
      b.last = calls.size();
    }
  }
}

void Graph::allocate_copied(std::vector<Block>& blocks) {
  std::unordered_set<c10::StorageImpl*> copied;
  for (const Call& c : calls) {
    if (c.how != How::copy) continue;
    for (const at::Tensor& t : c.made) copied.insert(storage(t));
  }
  std::erase_if(blocks, [&](const Block& b) {
    if (!copied.count(b.s)) return false;
    if (!b.s->data() && b.size) b.s->set_data_ptr_noswap(c10::GetCPUAllocator()->allocate(b.s->nbytes()));
    return true;
  });
}

void Graph::allocate_at_calls(const std::vector<Block>& blocks, size_t large) {
  for (const Block& b : blocks) {
    if (!b.swapped && b.size < large) continue;
    // Something else may be using the result at its address, so copy to that address
    // instead of swapping.
    if (small_ && b.swapped && escapes_.count(b.s) && b.size <= kCopiedInPlace && b.s->data()) {
      copied_in_place_.insert(b.s);
      continue;
    }
    if (!b.swapped) calls[b.first].allocate_before.push_back(b.s);
    if (escapes_.count(b.s)) {
      anew_.push_back(b.s);
    } else {
      calls[b.last].free_after.push_back(b.s);
      drop_data(b.s);
    }
  }
}

void Graph::move_to_arena(const Layout& layout) {
  // First free the memory that the arenas replace. Values that may still be read keep it until they are copied.
  for (const Block& b : layout.blocks) {
    if (!escapes_.count(b.s)) drop_data(b.s);
  }
  const size_t sizes[] = {layout.first_bytes(), layout.second_bytes()};
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
    // The result keeps its part of the arena alive, because it may be held after the
    // graph is freed.
    b.s->set_data_ptr_noswap(c10::DataPtr(
        to, new at::Tensor(arena[part]), [](void* held) { delete static_cast<at::Tensor*>(held); },
        c10::Device(c10::kCPU)));
  }
}

void Graph::place() {
  std::vector<Block> blocks = find_blocks();
  note_results(blocks);
  allocate_copied(blocks);
  const Layout layout = lay_out(blocks, calls.size());
  allocate_at_calls(blocks, layout.large);
  move_to_arena(layout);
}

}  // namespace gt::capture

#endif
