// Gives autograd's nodes their sequence numbers.
//
// The backward pass runs the nodes of a graph in descending order of their numbers. That
// order determines the order in which the gradients of a shared input are added, and
// therefore the last bits of the sum. libtorch counts nodes per thread. The operators of
// a goroutine may run on several threads, and numbers from several counters would not be
// in the order of creation.
//
// The functions peek and get_and_increment below replace libtorch's: a symbol defined by
// the program takes precedence over a library's, even for calls within the library. A new
// number is greater than all numbers assigned before, on any thread. So the nodes of one
// goroutine, and of goroutines that pass a graph on, are numbered in the order of their
// creation. If only one thread creates nodes, the order is the same as libtorch's own,
// and so are the bits.
//
// This file also counts live nodes. Each number adds one to the count. deleteNode, which
// frees the nodes of libtorch's operators and gotorch's functions, subtracts one. Nodes
// that are freed in other ways are not counted: nodes that libtorch creates for a pass,
// or for views that are modified in place. Nodes of leaves have no number and are not
// counted either.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include <ATen/SequenceNumber.h>

#include "nodes.hpp"
#include "runtime.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/VariableHooksInterface.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <dlfcn.h>
#include <torch/csrc/autograd/function.h>  // edge.h alone does not compile with libtorch 2.15
#include <unwind.h>

#include <atomic>
#include <memory>
#include <thread>
#include <type_traits>

namespace {

// Threads take numbers in blocks, so that a single thread rarely writes to shared memory.
// A thread gives up its block when another thread has taken a newer one, which has higher
// numbers. AccumulateGrad's number, the greatest of all, cannot be reached: even at a
// billion blocks per second that would take a hundred days.
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

// Changes to the number of live nodes, summed by thread. Each thread has its own cache
// line, unless there are more threads than lines.
struct alignas(64) Balance {
  std::atomic<int64_t> nodes{0};
};
constexpr size_t kBalances = 64;
Balance balances[kBalances];
std::atomic<size_t> threads{0};
thread_local std::atomic<int64_t>* balance = nullptr;

void count(int64_t more) {
  if (__builtin_expect(!balance, 0))
    balance = &balances[threads.fetch_add(1, std::memory_order_relaxed) % kBalances].nodes;
  balance->fetch_add(more, std::memory_order_relaxed);
}

thread_local int64_t uncounted = 0;

// deleteNode does not free the node that copy_ numbers. This variable holds the return
// address of copy_'s call to get_and_increment, to recognize that node. find_copy finds
// it by a trial copy.
std::atomic<void*> in_copy{nullptr};
thread_local bool finding_out = false;

void find_copy() {
  std::thread([] {  // a new thread, because its modes are the defaults
    at::DisableRecordFunctionGuard silent;
    const auto source = at::empty({0}).requires_grad_();
    auto copy = at::empty({0});
    finding_out = true;
    copy.copy_(source);
  }).join();
}

#ifdef __linux__

// Whether the return address `to` is in libtorch's function grad_fn of a variable. That
// function creates nodes for views that were modified in place, and deleteNode does not
// free these.
bool in_grad_fn(void* to) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpmf-conversions"
  static void* const begin = [] {
    auto* hooks = at::impl::GetVariableHooks();
    return reinterpret_cast<void*>(hooks->*(&at::impl::VariableHooksInterface::grad_fn));
  }();
#pragma GCC diagnostic pop
  constexpr size_t most = 1 << 14;  // upper bound of the size of grad_fn; addresses beyond it are not looked up
  const size_t off = static_cast<char*>(to) - static_cast<char*>(begin);
  return __builtin_expect(off < most, 0) && _Unwind_FindEnclosingFunction(to) == begin;
}

#else

bool in_grad_fn(void*) { return false; }

#endif

}  // namespace

namespace gt {

void uncounted_nodes(int64_t n) { uncounted = n; }

}  // namespace gt

namespace at::sequence_number {

uint64_t peek() { return newest().next; }

uint64_t get_and_increment() {
  if (__builtin_expect(uncounted > 0, 0))
    uncounted--;
  else if (void* to = __builtin_return_address(0); __builtin_expect(finding_out, 0))
    in_copy = to;
  else if (to != in_copy.load(std::memory_order_relaxed) && !in_grad_fn(to))
    count(1);
  return newest().next++;
}

}  // namespace at::sequence_number

#ifdef __linux__

// libtorch's functions that the functions below replace. They have these names in
// libtorch 2.11, where a std::shared_ptr holds a node. In newer versions the names
// differ.
#define GT_DELETE_NODE "_ZN5torch8autograd10deleteNodeEPNS0_4NodeE"
#define GT_COPY_SLICES                                                                        \
  "_ZN5torch8autograd10CopySlicesC1ERKN2at6TensorENS2_14TensorGeometryESt10unique_ptrINS0_"   \
  "8ViewFuncESt14default_deleteIS8_EESt10shared_ptrINS0_4NodeEE"

extern "C" {

__attribute__((visibility("default"))) void gt_delete_node(void* node) __asm__(GT_DELETE_NODE);
void gt_delete_node(void* node) {
  static const auto of_libtorch = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_NEXT, GT_DELETE_NODE));
  count(-1);
  of_libtorch(node);
}

// CopySlices replaces the last node of a tensor that is modified through a view, and
// keeps that node alive. The pointers are arguments that C++ passes by reference.
__attribute__((visibility("default"))) void gt_copy_slices(void* self, void* base, void* view, void* view_fn,
                                                           void* fn) __asm__(GT_COPY_SLICES);
void gt_copy_slices(void* self, void* base, void* view, void* view_fn, void* fn) {
  static const auto of_libtorch =
      reinterpret_cast<void (*)(void*, void*, void*, void*, void*)>(dlsym(RTLD_NEXT, GT_COPY_SLICES));
  uncounted++;
  of_libtorch(self, base, view, view_fn, fn);
}

}  // extern "C"

#endif

extern "C" void gt_discount_nodes(int64_t n) { count(-n); }

extern "C" int64_t gt_live_nodes(void) {
#ifdef __linux__
  using Held = decltype(torch::autograd::Edge::function);
  static const bool known = std::is_same_v<Held, std::shared_ptr<torch::autograd::Node>> &&
                            dlsym(RTLD_DEFAULT, GT_DELETE_NODE) == reinterpret_cast<void*>(&gt_delete_node);
  if (!known) return -1;
  static const bool found = (find_copy(), true);
  (void)found;
  int64_t sum = 0;
  for (const auto& b : balances) sum += b.nodes.load(std::memory_order_relaxed);
  return sum;
#else
  return -1;
#endif
}

extern "C" const uint64_t* gt_node_numbers(void) {
  static_assert(sizeof(std::atomic<uint64_t>) == sizeof(uint64_t));
  return reinterpret_cast<const uint64_t*>(&blocks_end);
}

#endif
