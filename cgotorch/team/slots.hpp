// The open regions, and which thread runs which share.
#pragma once

#include <atomic>
#include <cstdint>

namespace gt::team {

struct Region;

enum { kMostShares = 0xffff };

// A slot has one open region at a time. The turn distinguishes the regions of a
// slot. Slots are never freed, so a thread may read any slot at any time. The word
// counts the shares that have begun. A thread claims a share by incrementing that
// number with compare and swap. A region exists until all its shares have ended.
struct alignas(64) Slot {
  std::atomic<uint64_t> word{0};  // turn << 32 | shares begun << 16 | shares
  std::atomic<Region*> region{nullptr};
  uint64_t seen = 0;  // the word when the keeper last looked
};

inline uint32_t turn_of(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
inline int unclaimed_in(uint64_t word) {
  return static_cast<int>(word & 0xffff) - static_cast<int>(word >> 16 & 0xffff);
}

// A share that the calling thread has claimed and must run.
struct Claim {
  Slot* slot = nullptr;
  uint32_t turn = 0;
  Region* region = nullptr;
  int share = 0;
  int left = 0;  // shares that no thread had begun at that time
};

// Opens a region and writes its slot into it. The caller runs share 0.
void open(Region* region);
// Closes a region, after all its shares have begun.
void close(Slot* slot);

// Returns the number of the region's shares that no thread has begun.
inline int unclaimed(const Slot* slot, uint32_t turn) {
  const uint64_t word = slot->word.load();
  return turn_of(word) == turn ? unclaimed_in(word) : 0;
}

// Claims the next share of the region and returns its number, or 0 if all have begun.
int claim(Slot* slot, uint32_t turn);

// Claims a share of any region. Tries the region in urgent first.
bool claim_any(Claim* out);
bool any_unclaimed();

// The slot of a region whose threads wait until its other shares begin.
inline std::atomic<Slot*> urgent{nullptr};

// Calls visit with each slot in use until visit returns true.
template <class Visit>
bool each_open(Visit visit);

// 64 slots, and a bit for each slot in use.
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
