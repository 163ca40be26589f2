// A recorded step: the calls below autograd, in order. All replays use the same tensors.
#pragma once

#include "abi.hpp"
#include "capturing.hpp"
#include "direct.hpp"
#include "layout.hpp"
#include "refs.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/Context.h>
#include <c10/core/StorageImpl.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture.h"

namespace gt::capture {

using c10::IValue;

inline c10::StorageImpl* storage(const at::Tensor& t) { return t.storage().unsafeGetStorageImpl(); }

// Frees the memory of a storage, which keeps its size.
inline void drop_data(c10::StorageImpl* s) { s->set_data_ptr_noswap(c10::DataPtr(nullptr, c10::Device(c10::kCPU))); }

// Calls f with each defined tensor in a value.
template <class F>
void tensors(const IValue& v, F f) {
  if (v.isTensor()) {
    if (v.toTensor().defined()) f(v.toTensor());
  } else if (v.isTensorList()) {
    for (const at::Tensor& t : v.toTensorList()) {
      if (t.defined()) f(t);
    }
  } else if (v.isOptionalTensorList()) {
    for (const std::optional<at::Tensor>& t : v.toOptionalTensorList()) {
      if (t && t->defined()) f(*t);
    }
  }
}

// How a replay repeats a call.
enum class How {
  skip,   // not at all: it is a view, uninitialized memory or a constant
  write,  // makes the recorded call, which writes to its arguments
  out,    // calls the overload that writes to given results
  swap,   // makes the recorded call; the recorded tensors take over the memory of its results
  // Makes the recorded call and copies its results to the recorded tensors, because the
  // results may share the memory of arguments.
  copy,
  host,   // a HostStep
};

// A kernel for inference that replaces one or more recorded calls. optimize makes it.
class Fused {
 public:
  virtual ~Fused() = default;
  virtual std::string name() const = 0;
  // Writes to the result that it was made for (How::out), or leaves the result on the stack (How::swap).
  virtual void run(torch::jit::Stack& stack) = 0;
};

struct Place {
  void* data;
  int64_t numel;
};

struct Call {
  std::optional<c10::OperatorHandle> op;
  c10::DispatchKeySet keys;  // the dispatch keys below the recorder's key
  std::vector<IValue> args, outs;
  std::vector<at::Tensor> made;              // all defined results; lists are flattened
  std::vector<Place> places;                 // for How::out: the memory of each tensor in made
  std::vector<c10::StorageImpl*> allocate_before;  // storages that a replay allocates before this call
  std::vector<c10::StorageImpl*> free_after;       // storages that a replay frees after this call
  std::shared_ptr<HostStep> host;
  uint32_t stack = 0;
  bool grad = false, inference = false;      // grad mode and inference mode during the call
  bool writes = false;  // the schema says that it writes to arguments
  bool views = false;   // all results are in memory of arguments
  How how = How::write;
  std::unique_ptr<Fused> fused;              // runs in place of op, or null
  std::unique_ptr<Direct> direct;            // unboxed call, or null
  std::unique_ptr<Direct> product;           // unboxed call for when exact_products() holds, or null
};

// Returns the arguments that an operator writes to although its schema does not say so, such as
// running statistics.
std::vector<size_t> undeclared(const c10::OperatorHandle& op);

// Whether the call's results do not depend on the values of any tensor. If so, they are
// computed only once.
bool constant(const Call& c);

// The memory of a call's arguments.
std::unordered_set<c10::StorageImpl*> memory_of_args(const Call& c);

// A leaf tensor that the step uses, or whose gradient it uses. The program may set that
// gradient between replays, so each replay must read it again.
struct Leaf {
  explicit Leaf(const at::Tensor& t) : tensor(t) {}
  // Stores the leaf's gradient at the start of the pass. The reference is weak, because
  // the step may drop the gradient.
  void begin();
  void does(Gradient what);

  at::Tensor tensor;
  std::optional<c10::weak_intrusive_ptr<c10::TensorImpl>> before;
  bool needs_before = false;  // the step reads the gradient, or adds to it, before setting it
  bool touched = false;       // the step adds to the gradient or sets it
  bool done = false;          // the step uses the gradient
  at::Tensor after;           // the gradient at the end of the step
  c10::StorageImpl* memory = nullptr;
  bool requires_grad = false;
  std::vector<int64_t> hooks;
};

// A tensor that the step did not create. Between replays, only its values may change.
struct External {
  explicit External(const at::Tensor& t);
  bool same_memory() const;
  bool same_layout() const;

  at::Tensor tensor;
  c10::StorageImpl* memory;
  size_t bytes;
  int64_t offset;
  std::vector<int64_t> sizes, strides;
  bool requires_grad;
};

// libtorch's settings during the recording. A replay needs the same settings.
struct Settings {
  bool grad, inference, deterministic, mkldnn, autocast, anomaly;
  at::ScalarType autocast_dtype;
  std::array<bool, 3> attention;  // whether flash, math and memory-efficient attention are enabled
  at::Float32MatmulPrecision precision;  // may differ in a replay, but a step must not change it

  // Whether operators would select the same kernels with both settings.
  bool same_kernels(const Settings& o) const {
    return deterministic == o.deterministic && mkldnn == o.mkldnn && attention == o.attention &&
           precision == o.precision;
  }
};
Settings settings_now();

struct Graph {
  std::vector<Call> calls;
  std::vector<Leaf> leaves;
  std::vector<External> externals;
  // Tensors whose values the step has read on the host, with their versions at that time.
  std::vector<std::pair<at::Tensor, int64_t>> looked;
  std::vector<std::pair<c10::VariableVersion, c10::StorageImpl*>>
      versions;                     // versions of memory that replays write to and others may hold
  std::vector<at::Tensor> results;  // of the step
  // What optimize computed in advance: memory of the graph's own, and the tensors from outside with the
  // versions that it used.
  bool optimized = false;
  std::vector<at::Tensor> packed;
  std::vector<std::pair<at::Tensor, int64_t>> folded;
  bool renews = false;  // gives gradients new memory if something else holds them
  Refs refs;
  at::Tensor arena[2];  // a Layout's parts
  Settings settings{};
  gt_capture_stats stats{};
  torch::jit::Stack stack;
  uint32_t failed_at = 0;  // if planning fails: the stack of the call that cannot be replayed

  // Replaces the calls by faster ones that need not compute the same bits. inputs is the memory of tensors
  // whose values change from replay to replay. Layers compute in the given precision, float or bfloat16, where the
  // processor can. Returns why it left the calls as they are or computes in float, or "".
  std::string optimize(const std::unordered_set<c10::StorageImpl*>& inputs, at::ScalarType precision);
  // Chooses how to replay each call, and lays out the memory.
  void plan();
  // The name of a call's kernel in a replay.
  static std::string kernel(const Call& c);
  // Replays the graph several times and returns the nanoseconds of each call.
  std::vector<int64_t> time();
  // Whether one of ts is in memory from outside the step that the step writes to.
  bool writes(at::TensorList ts) const;
  // Copies sources into inputs.
  void feed(at::TensorList inputs, at::TensorList sources) const;
  // Fails if the program has changed what the graph depends on.
  void check() const;
  // Call adopt after the step has run without the graph. It replaces the gradients and
  // the step's results, `now`, with the tensors of replays.
  void adopt(at::TensorList now);
  // Runs the calls. Sets *stale and runs nothing if the graph no longer matches the program.
  void replay(uint32_t* at, int32_t* stale);

 private:
  // The gradients that the step creates in one storage, with their leaves.
  struct Fresh {
    c10::StorageImpl* memory;
    std::vector<size_t> leaves;
  };

  // Finds the memory of results that something outside the recording also holds.
  void find_escapes();
  // Finds the memory that calls write to.
  void find_written();
  // Chooses how a replay makes each call.
  void choose();
  // Chooses for a call that neither writes to its arguments nor returns views. read
  // contains the memory that calls read.
  How choose_how(Call& c, const std::unordered_set<c10::StorageImpl*>& read);
  // Lays out the results: results whose lifetimes do not overlap share memory. A result
  // that something else also holds, such as a gradient, lives to the end; the next replay
  // computes it before anything reads it. Large results are not in the arenas: a replay
  // allocates each when it is computed and frees it after its last use, as without a
  // graph. That memory, and the memory that kernels allocate, comes on top of the arenas.
  void place();
  // Returns the results that are in new memory, in the order of their calls.
  std::vector<Block> find_blocks() const;
  // Notes the memory of the results. Results that escape live until the end of the step.
  void note_results(std::vector<Block>& blocks);
  // Allocates the blocks to which How::copy copies, and removes them from the list.
  void allocate_copied(std::vector<Block>& blocks);
  // Makes replays allocate the results of How::swap, and all results of at least `large` bytes, at their calls.
  void allocate_at_calls(const std::vector<Block>& blocks, size_t large);
  // Allocates the arenas and moves the results into them.
  void move_to_arena(const Layout& layout);
  void find_fresh();
  bool held(const Fresh& f) const;
  void renew(Fresh& f);
  void run(Call& c);
  void profiled(Call& c);
  void keep(Call& c);
  void failed() noexcept;

  std::unordered_set<c10::StorageImpl*> escapes_;    // something outside the recording holds it
  std::unordered_set<c10::StorageImpl*> constants_;  // results of constant calls, which replays skip
  std::unordered_set<c10::StorageImpl*> written_;    // some call writes to it
  std::unordered_set<c10::StorageImpl*> written_outside_;  // those in written_ that the step has not created
  std::unordered_set<c10::StorageImpl*> made_;       // results of the step
  std::unordered_set<c10::StorageImpl*> copied_in_place_;  // results of How::swap that keep their memory
  bool small_ = false;  // the results have few bytes together
  std::vector<Fresh> fresh_;
  bool exact_ = true;
  std::vector<int64_t>* times_ = nullptr;  // where replay writes the nanoseconds of each call
  // Results that something else holds. Each replay allocates new memory for them.
  std::vector<c10::StorageImpl*> anew_;
};

}  // namespace gt::capture
