#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "layout.hpp"

#include "mem/alloc_sizes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <queue>

namespace gt::capture {

namespace {

using alloc::taken;
size_t taken(const Layout& l) { return taken(l.first_bytes()) + taken(l.second_bytes()); }

// Places each block, in the given order, at the lowest address where no other block is
// live at the same time.
void place(Layout& l) {
  l.bytes = 0;
  for (size_t n = 0; n < l.blocks.size(); n++) {
    Block& b = l.blocks[n];
    std::vector<const Block*> rivals;
    for (size_t i = 0; i < n; i++) {
      if (l.blocks[i].first <= b.last && b.first <= l.blocks[i].last) rivals.push_back(&l.blocks[i]);
    }
    std::sort(rivals.begin(), rivals.end(), [](const Block* x, const Block* y) { return x->at < y->at; });
    b.at = 0;
    for (const Block* p : rivals) {
      if (b.at + b.size > p->at) b.at = std::max(b.at, p->at + p->size);
    }
    l.bytes = std::max(l.bytes, b.at + b.size);
  }
}

// Like place, but fast for many blocks. The blocks must be ordered by the start of their
// lifetimes, so that place_in_time knows which blocks are live.
void place_in_time(Layout& l) {
  l.bytes = 0;
  std::map<size_t, size_t> gaps{{0, SIZE_MAX}};  // free ranges: begin and end
  const auto later = [](const Block* a, const Block* b) { return a->last > b->last; };
  std::priority_queue<const Block*, std::vector<const Block*>, decltype(later)> living(later);
  for (Block& b : l.blocks) {
    for (; !living.empty() && living.top()->last < b.first; living.pop()) {
      size_t from = living.top()->at, to = from + living.top()->size;
      auto next = gaps.lower_bound(from);
      if (next != gaps.end() && next->first == to) {
        to = next->second;
        next = gaps.erase(next);
      }
      if (next != gaps.begin() && std::prev(next)->second == from) {
        std::prev(next)->second = to;
      } else {
        gaps.emplace(from, to);
      }
    }
    auto gap = gaps.begin();
    while (gap->second - gap->first < b.size) ++gap;
    b.at = gap->first;
    const size_t to = gap->second;
    gaps.erase(gap);
    if (b.at + b.size < to) gaps.emplace(b.at + b.size, to);
    living.push(&b);
    l.bytes = std::max(l.bytes, b.at + b.size);
  }
}

// Splits the memory at an address that no block crosses, if the two parts take less
// memory than one.
void divide(Layout& l) {
  std::vector<const Block*> by_place;
  for (const Block& b : l.blocks) by_place.push_back(&b);
  std::sort(by_place.begin(), by_place.end(), [](const Block* x, const Block* y) { return x->at < y->at; });
  size_t least = taken(l.bytes), end = 0;  // end: where the blocks seen so far end
  for (const Block* b : by_place) {
    const size_t sum = taken(b->at) + taken(l.bytes - b->at);
    if (end <= b->at && sum < least) {
      least = sum;
      l.border = b->at;
    }
    end = std::max(end, b->at + b->size);
  }
}

// With more blocks, place_best tries only the order by time, because place takes
// quadratic time.
constexpr size_t kMany = 2000;

// Places the blocks in several orders, because no order is always best, and keeps the
// smallest layout.
void place_best(Layout& l) {
  using Before = bool (*)(const Block&, const Block&);
  constexpr Before orders[] = {
      [](const Block& a, const Block& b) { return a.size != b.size ? a.size > b.size : a.first < b.first; },
      [](const Block& a, const Block& b) {
        return a.last - a.first != b.last - b.first ? a.last - a.first > b.last - b.first : a.size > b.size;
      },
      [](const Block& a, const Block& b) { return a.last != b.last ? a.last > b.last : a.size > b.size; },
      [](const Block& a, const Block& b) { return a.first != b.first ? a.first < b.first : a.size > b.size; },
  };
  if (l.blocks.empty()) return;
  Layout best;
  size_t least = SIZE_MAX;
  const Before in_time = orders[std::size(orders) - 1];
  for (Before before : orders) {
    if (before != in_time && l.blocks.size() > kMany) continue;
    std::stable_sort(l.blocks.begin(), l.blocks.end(), before);
    l.border = SIZE_MAX;
    before == in_time ? place_in_time(l) : place(l);
    divide(l);
    if (taken(l) < least) {
      least = taken(l);
      best = l;
    }
  }
  l = std::move(best);
}

// Returns the peak memory of a replay in which results of less than l.large bytes are in l, and
// each other result is allocated when it is computed.
size_t peak_of(const std::vector<Block>& all, size_t calls, Layout& l) {
  std::vector<int64_t> change(calls + 2);  // of the allocated bytes at each call
  for (const Block& b : all) {
    if (!b.swapped && b.size < l.large) {
      if (b.size) l.blocks.push_back(b);
      continue;
    }
    change[b.first] += static_cast<int64_t>(taken(b.size));
    change[b.last + 1] -= static_cast<int64_t>(taken(b.size));
  }
  place_best(l);
  int64_t now = 0, most = 0;
  for (const int64_t c : change) most = std::max(most, now += c);
  return taken(l) + static_cast<size_t>(most);
}

}  // namespace

// Chooses the size from which results are left out of the layout, so that a replay needs
// the least memory, within a few percent. A replay never needs more than with separately
// allocated blocks, within 1/4000 or one block. A larger layout saves allocations, but
// occupies memory all the time, in addition to the memory that calls allocate.
Layout lay_out(const std::vector<Block>& blocks, size_t calls) {
  Layout best, none;
  size_t least = SIZE_MAX;
  auto try_with = [&](size_t large, size_t enough) {
    Layout l;
    l.large = large;
    if (const size_t peak = peak_of(blocks, calls, l); peak < enough) {
      least = peak;
      best = std::move(l);
    }
  };
  for (const size_t large : {size_t{1} << 20, size_t{1} << 16, size_t{1} << 13}) try_with(large, least - least / 32);
  const size_t one_by_one = peak_of(blocks, calls, none);
  const bool little = one_by_one < size_t{4} << 20;
  for (const size_t large : {size_t{1} << 11, size_t{1} << 9}) {
    if (least > one_by_one + (little ? one_by_one / 4096 : 0)) try_with(large, least);
  }
  if (!little && least > one_by_one) try_with(0, least);
  return best;
}

}  // namespace gt::capture

#endif
