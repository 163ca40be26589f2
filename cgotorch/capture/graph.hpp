// A recorded step: the calls below autograd, in order, on persistent tensors.
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

// Calls f for each defined tensor of a value.
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

// How a replay makes a call.
enum class How {
  skip,   // a view, uninitialized memory, a constant
  write,  // the recorded call, which writes to its arguments
  out,    // the overload that writes to given results
  swap,   // the recorded call; the recorded results take over its results' memory
  // The recorded call. Its results, which may be in memory of arguments, are copied to the recorded
  // results.
  copy,
  host,   // a HostStep
};

struct Place {
  void* data;
  int64_t numel;
};

struct Call {
  std::optional<c10::OperatorHandle> op;
  c10::DispatchKeySet keys;  // the dispatch keys below the recorder's key
  std::vector<IValue> args, outs;
  std::vector<at::Tensor> made;              // the defined results, flat
  std::vector<Place> places;                 // with How::out, the memory of each tensor in made
  std::vector<c10::StorageImpl*> first;      // storage to allocate before this call
  std::vector<c10::StorageImpl*> last;       // storage to release after this call
  std::shared_ptr<HostStep> host;
  uint32_t stack = 0;
  bool grad = false, inference = false;      // the modes of the call
  bool writes = false;  // it writes to arguments, by its schema
  bool views = false;   // all results are in memory of arguments
  How how = How::write;
  std::unique_ptr<Direct> direct;            // an unboxed call, if there is one
  std::unique_ptr<Direct> product;           // an unboxed call, if exact_products() holds
};

// The arguments that an operator writes to although its schema does not say so, such as running
// statistics.
std::vector<size_t> undeclared(const c10::OperatorHandle& op);

// Whether a call's results depend on no tensor's values. Such results are computed once.
bool constant(const Call& c);

// The memory of a call's arguments.
std::unordered_set<c10::StorageImpl*> memory_of_args(const Call& c);

// A leaf that the step uses, or whose gradient it uses. A replay must follow its gradient, which
// the program may set.
struct Leaf {
  explicit Leaf(const at::Tensor& t) : tensor(t) {}
  // Records the gradient at the start of the recorded pass, without keeping it alive, because the step may
  // drop it.
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

// A tensor from outside the step. Only its values may change.
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

// The libtorch settings of the recording, which a replay must have too.
struct Settings {
  bool grad, inference, deterministic, mkldnn, autocast, anomaly;
  at::ScalarType autocast_dtype;
  std::array<bool, 3> attention;  // flash, math, memory efficient
  at::Float32MatmulPrecision precision;  // a replay uses the current precision, but a step must not change it

  // Whether operators select the same kernels.
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
  // Tensors whose values were read, and their versions at that time.
  std::vector<std::pair<at::Tensor, int64_t>> looked;
  std::vector<std::pair<c10::VariableVersion, c10::StorageImpl*>>
      versions;                     // of memory that a replay writes to and others may hold
  std::vector<at::Tensor> results;  // of the step
  bool renews = false;  // does not change gradients that something else holds
  Refs refs;
  at::Tensor arena[2];  // a Layout's parts
  Settings settings{};
  gt_capture_stats stats{};
  torch::jit::Stack stack;
  uint32_t failed_at = 0;  // found while planning: the stack of a call that cannot be replayed

  // Chooses how to replay each call, and lays out the memory.
  void plan();
  // Whether a tensor is in outside memory that the step writes to.
  bool writes(at::TensorList ts) const;
  // Copies sources into inputs.
  void feed(at::TensorList inputs, at::TensorList sources) const;
  // Fails if the program has changed what the graph depends on.
  void check() const;
  // After a step without the graph returned `now`, gives gradients and results the tensors that replays use.
  void adopt(at::TensorList now);
  // If it sets *stale, the graph no longer matches the program, and nothing was run.
  void replay(uint32_t* at, int32_t* stale);

 private:
  // Gradients that the step creates in one storage.
  struct Fresh {
    c10::StorageImpl* memory;
    std::vector<size_t> leaves;
  };

  // Finds the memory of results that something outside the recording holds too.
  void find_escapes();
  // Finds the memory that calls write to.
  void find_written();
  // Chooses how a replay makes each call.
  void choose();
  // The choice for a call that does not write to its arguments and returns no views. small is true
  // for a small step; read contains the memory that calls read.
  How choose_how(Call& c, bool small, const std::unordered_set<c10::StorageImpl*>& read);
  // Results whose lifetimes do not overlap share memory. A result that others also hold, such as
  // gradients and results of the step, is live until the end; the next replay computes it before anything
  // reads it. Large results get no place in the arenas: they are allocated when they are computed and
  // freed after their last use, as without a graph, in addition to the memory that kernels allocate.
  void place();
  // The results to place, in the order of their calls.
  std::vector<Block> find_blocks();
  // Makes calls allocate the results of How::swap, and results of at least `large` bytes.
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

  std::unordered_set<c10::StorageImpl*> escapes_, constants_, written_, written_outside_, made_, kept_;
  std::vector<Fresh> fresh_;
  bool exact_ = true;
  // Results that others hold, and whose memory a call in each replay allocates.
  std::vector<c10::StorageImpl*> anew_;
};

}  // namespace gt::capture
