// The numbers of autograd's nodes.
//
// The backward pass runs the nodes of a graph by descending number, and the order
// decides in which order the gradients of a shared input are added: with another
// order the last bits differ. libtorch counts per thread. A goroutine whose
// operators run on several threads would get numbers of several counters, in no
// order at all.
//
// These two functions take the place of libtorch's: a program's own definition
// of a symbol comes before that of a library, also for calls within the library.
// A number is greater than every number that was given out before, on any thread,
// so the nodes of one goroutine, and of goroutines that hand a graph to one
// another, are in the order in which they were made. Where only one thread makes
// nodes the order is libtorch's own, and so are the bits.
#ifdef GOTORCH_TOGETHER  // compiled by together.cpp

#include <ATen/SequenceNumber.h>

#include "runtime.h"

#include <atomic>

namespace {

// Threads take numbers in blocks, so that a thread which alone makes nodes writes
// to nothing shared. A block that is not the newest is given up: another thread
// has numbers above it. AccumulateGrad's number, the greatest of all, is out of
// reach: a billion blocks a second would take a hundred days to get there.
constexpr uint64_t kBlock = 1 << 10;

std::atomic<uint64_t> blocks_end{0};

struct Block {
  uint64_t next = 0;
  uint64_t end = 0;
};
thread_local Block block;

Block& newest() {
  Block& b = block;
  if (__builtin_expect(b.next == b.end || b.end != blocks_end.load(std::memory_order_relaxed), 0)) {
    b.next = blocks_end.fetch_add(kBlock, std::memory_order_relaxed);
    b.end = b.next + kBlock;
  }
  return b;
}

}  // namespace

namespace at::sequence_number {

uint64_t peek() { return newest().next; }
uint64_t get_and_increment() { return newest().next++; }

}  // namespace at::sequence_number

extern "C" const uint64_t* gt_node_numbers(void) {
  static_assert(sizeof(std::atomic<uint64_t>) == sizeof(uint64_t));
  return reinterpret_cast<const uint64_t*>(&blocks_end);
}

#endif
