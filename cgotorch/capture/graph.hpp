// A recorded step: the calls below autograd, in order, on persistent tensors.
#pragma once

#include "abi.hpp"
#include "capturing.hpp"
#include "direct.hpp"
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
  skip,   // a view, memory that is not filled, a constant
  write,  // as it was called: it writes to its arguments
  out,    // by the overload that takes the results
  swap,   // as it was called; the memory of its results becomes that of the recorded ones
  copy,   // as it was called; its results, which lie in arguments too, are copied to the recorded ones
  host,   // a HostStep
};

struct Place {
  void* data;
  int64_t numel;
};

struct Call {
  std::optional<c10::OperatorHandle> op;
  c10::DispatchKeySet keys;  // what is left below the recorder's
  std::vector<IValue> args, outs;
  std::vector<at::Tensor> made;              // the defined results, flat
  std::vector<Place> places;                 // How::out: of made
  std::vector<c10::StorageImpl*> first;      // that get memory before this call
  std::vector<c10::StorageImpl*> last;       // whose memory is released after it
  std::shared_ptr<HostStep> host;
  uint32_t stack = 0;
  bool grad = false, inference = false;      // the modes that it was called in
  bool writes = false;  // to arguments, by the schema
  bool views = false;   // all results are memory of arguments
  How how = How::write;
  std::unique_ptr<Direct> direct;            // the same without boxes, where there is such a call
  std::unique_ptr<Direct> product;           // the same where products are exact_products()
};

// The arguments that an operator writes to although its schema does not say so: running statistics.
std::vector<size_t> undeclared(const c10::OperatorHandle& op);

// Whether a call's values depend on no tensor's values. Such results are computed once.
bool constant(const Call& c);

// A leaf that the step uses, or whose gradient it uses, which a replay must follow: the host sets gradients.
struct Leaf {
  explicit Leaf(const at::Tensor& t) : tensor(t) {}
  // Records the gradient at the start of the recorded pass, without keeping it alive, because the step may
  // drop it.
  void begin();
  void does(Gradient what);

  at::Tensor tensor;
  std::optional<c10::weak_intrusive_ptr<c10::TensorImpl>> before;
  bool needs_before = false;  // looks at the gradient, or adds to it, before setting one
  bool touched = false;       // adds to the gradient, or sets it
  bool done = false;          // something
  at::Tensor after;           // the gradient when it ended
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

// The libtorch settings that a replay must have, those of the recording.
struct Settings {
  bool grad, inference, deterministic, mkldnn, autocast, anomaly;
  at::ScalarType autocast_dtype;
  std::array<bool, 3> attention;  // flash, math, memory efficient
  at::Float32MatmulPrecision precision;  // that of the time in a replay, but no step may switch it

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
  std::vector<std::pair<at::Tensor, int64_t>> looked;  // tensors whose values were looked at, and their versions then
  std::vector<std::pair<c10::VariableVersion, c10::StorageImpl*>>
      versions;                     // of what a replay writes and others may hold
  std::vector<at::Tensor> results;  // of the step
  bool renews = false;  // has gradients that somebody holds stay as they are
  Refs refs;
  at::Tensor arena[2];  // a Layout's parts
  Settings settings{};
  gt_capture_stats stats{};
  torch::jit::Stack stack;
  uint32_t failed_at = 0;  // the stack of a call that no replay could make, found while planning

  // Chooses how to replay each call, and lays out the memory.
  void plan();
  // Whether a tensor is in outside memory that the step writes to.
  bool writes(at::TensorList ts) const;
  // Copies sources into inputs.
  void feed(at::TensorList inputs, at::TensorList sources) const;
  // Fails if the program has changed what the graph depends on.
  void check() const;
  // Makes gradients and results those of replays, after a step without the graph that returned now.
  void adopt(at::TensorList now);
  // An error before anything was run sets *stale: the graph no longer matches the program.
  void replay(uint32_t* at, int32_t* stale);

 private:
  // Gradients created by the step, in one memory.
  struct Fresh {
    c10::StorageImpl* memory;
    std::vector<size_t> leaves;
  };

  void choose();
  void place();
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
  std::vector<c10::StorageImpl*> anew_;  // that others hold, and whose memory comes from a call of each replay
};

}  // namespace gt::capture
