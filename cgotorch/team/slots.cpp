//go:build linux

#include "slots.hpp"

#include "region.hpp"

namespace gt::team {

namespace {

Slot* take(Chunk* c) {
  uint64_t used = c->used.load(std::memory_order_relaxed);
  while (~used) {
    const uint64_t bit = ~used & (used + 1);
    if (c->used.compare_exchange_weak(used, used | bit)) return &c->slots[__builtin_ctzll(bit)];
  }
  return nullptr;
}

// Returns the chunk after c, and creates it if necessary.
Chunk* after(Chunk* c) {
  Chunk* next = c->next.load();
  if (next) return next;
  auto* made = new Chunk;
  if (c->next.compare_exchange_strong(next, made)) return made;
  delete made;
  return next;
}

bool claim_in(Slot* slot, Claim* out) {
  uint64_t word = slot->word.load();
  while (unclaimed_in(word) > 0) {
    Region* region = slot->region.load(std::memory_order_relaxed);  // valid if the exchange below succeeds
    if (slot->word.compare_exchange_weak(word, word + (1 << 16))) {
      *out = {slot, turn_of(word), region, static_cast<int>(word >> 16 & 0xffff), unclaimed_in(word) - 1};
      return true;
    }
  }
  return false;
}

}  // namespace

void open(Region* region) {
  Slot* slot = nullptr;
  for (Chunk* c = &first_chunk; !(slot = take(c));) c = after(c);
  region->slot = slot;
  region->turn = turn_of(slot->word.load(std::memory_order_relaxed)) + 1;
  slot->region.store(region, std::memory_order_relaxed);
  slot->word.store(uint64_t{region->turn} << 32 | 1 << 16 | static_cast<uint64_t>(region->n));
}

void close(Slot* slot) {
  for (Chunk* c = &first_chunk; c; c = c->next.load())
    if (slot >= c->slots && slot < c->slots + 64) {
      c->used.fetch_and(~(uint64_t{1} << (slot - c->slots)));
      return;
    }
}

int claim(Slot* slot, uint32_t turn) {
  uint64_t word = slot->word.load();
  while (turn_of(word) == turn && unclaimed_in(word) > 0)
    if (slot->word.compare_exchange_weak(word, word + (1 << 16))) return static_cast<int>(word >> 16 & 0xffff);
  return 0;
}

bool claim_any(Claim* out) {
  Slot* first = urgent.load(std::memory_order_relaxed);
  if (first) {
    if (claim_in(first, out)) return true;
    urgent.compare_exchange_strong(first, nullptr);
  }
  return each_open([out](Slot* slot) { return claim_in(slot, out); });
}

bool any_unclaimed() {
  return each_open([](Slot* slot) { return unclaimed_in(slot->word.load()) > 0; });
}

}  // namespace gt::team
