// A table of the open regions, in which threads claim shares of regions.
#pragma once

#include <atomic>
#include <cstdint>

namespace gt::team {

struct Region;

enum { kMostShares = 0xffff };

// Holds one open region at a time; the turn number distinguishes successive regions.
// Slots are never freed, so a thread may read any slot at any time. word counts the
// shares that have begun. A thread claims a share by incrementing that count with compare
// and swap. A region exists until all its shares have ended.
struct alignas(64) Slot {
  std::atomic<uint64_t> word{0};  // turn << 32 | shares begun << 16 | shares
  std::atomic<Region*> region{nullptr};
  uint64_t seen = 0;  // value of word when the keeper last looked
};

inline uint32_t turn_of(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
inline int unclaimed_in(uint64_t word) {
  return static_cast<int>(word & 0xffff) - static_cast<int>(word >> 16 & 0xffff);
}

// A share that the calling thread has claimed. The thread must run it.
struct Claim {
  Slot* slot = nullptr;
  uint32_t turn = 0;
  Region* region = nullptr;
  int share = 0;
  int left = 0;  // number of shares that nobody had claimed then
};

// Puts a region into a slot, and stores the slot in the region. The caller must run share
// 0.
void open(Region* region);
// Closes a region, after all its shares have begun.
void close(Slot* slot);

// Returns how many shares of the region are still unclaimed.
inline int unclaimed(const Slot* slot, uint32_t turn) {
  const uint64_t word = slot->word.load();
  return turn_of(word) == turn ? unclaimed_in(word) : 0;
}

// Claims the next share of the region. Returns its number, or 0 if no share is left.
int claim(Slot* slot, uint32_t turn);

// Claims a share of any region, if possible of the region in urgent.
bool claim_any(Claim* out);
bool any_unclaimed();

// The slot of a region whose running shares are waiting for its other shares to begin.
inline std::atomic<Slot*> urgent{nullptr};

// Calls visit with each slot in use until visit returns true.
template <class Visit>
bool each_open(Visit visit);

// 64 slots, with a bit for each slot that says whether the slot is in use.
struct Chunk {
  std::atomic<uint64_t> used{0};
  std::atomic<Chunk*> next{nullptr};
  Slot slots[64];
};
inline Chunk first_chunk;

template <class Visit>
bool each_open(Visit visit) {
  for (Chunk* c = &first_chunk; c; c = c->next.load())
    for (uint64_t used = c->used.load(); used; used &= used - 1)
      if (visit(&c->slots[__builtin_ctzll(used)])) return true;
  return false;
}

}  // namespace gt::team
