// The open regions, and who begins which share of them.
#pragma once

#include <atomic>
#include <cstdint>

namespace gt::team {

struct Region;

enum { kMostShares = 0xffff };

// A place for open regions, one after the other: the turn tells them apart. Places are never
// freed, so a thread may look at any of them at any time. The word says how many shares have
// been begun: a thread owns the share that it has counted up by compare and swap, and the
// region stays until all its shares have ended.
struct alignas(64) Slot {
  std::atomic<uint64_t> word{0};  // turn << 32 | shares begun << 16 | shares
  std::atomic<Region*> region{nullptr};
  uint64_t seen = 0;  // the keeper's
};

inline uint32_t turn_of(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
inline int unclaimed_in(uint64_t word) {
  return static_cast<int>(word & 0xffff) - static_cast<int>(word >> 16 & 0xffff);
}

// A share that the calling thread has to run.
struct Claim {
  Slot* slot = nullptr;
  uint32_t turn = 0;
  Region* region = nullptr;
  int share = 0;
  int left = 0;  // shares that nobody had begun then
};

// Opens a region, of which the caller runs share 0, and writes where into it.
void open(Region* region);
// Closes it, once no share is unclaimed.
void close(Slot* slot);

// How many shares of the region nobody has begun.
inline int unclaimed(const Slot* slot, uint32_t turn) {
  const uint64_t word = slot->word.load();
  return turn_of(word) == turn ? unclaimed_in(word) : 0;
}

// The next share of that region, 0 if all have been begun.
int claim(Slot* slot, uint32_t turn);

// A share of any region; of `urgent` if it has one.
bool claim_any(Claim* out);
bool any_unclaimed();

// The slot of a region whose threads wait for its other shares.
inline std::atomic<Slot*> urgent{nullptr};

// Calls visit with each open slot until it returns true.
template <class Visit>
bool each_open(Visit visit);

// 64 slots and a bit for each that is in use.
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
