// The optimizer of graphs for inference: it makes a new plan from the recorded calls.
#pragma once

#include "fused.hpp"

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace gt::capture {

inline const std::string& name_of(const Call& c) { return c.op->schema().name(); }
inline bool is_dense_float(const at::Tensor& t) {
  return t.defined() && t.scalar_type() == at::kFloat && t.device().is_cpu();
}

class Rewriter {
 public:
  // inputs is the memory of tensors whose values change from replay to replay. precision is the dtype that the plan
  // computes in where it can: float or bfloat16.
  Rewriter(Graph& g, const std::unordered_set<c10::StorageImpl*>& inputs, at::ScalarType precision)
      : g_(g), inputs_(inputs), precision_(precision) {}

  void run();
  // Puts the new calls in place of the recorded ones.
  void commit();

 private:
  using Key = std::vector<int64_t>;

  // A tensor of the new plan that takes the place of a recorded one.
  struct Value {
    at::Tensor tensor;
    bool constant = false;  // the same in each replay
    bool live = false;      // it is in memory from outside, so it follows changes
    std::set<size_t> from;  // for a constant: the externals that it was computed from
    at::Tensor converted;   // the same values in the other precision, or undefined
  };

  // Layers that become one call, from the recorded calls `first` to `last`.
  struct Group {
    Layer layer;
    std::set<size_t> from;  // externals of the folded weights
    size_t first, last;
    at::Tensor x;           // the recorded input
    at::Tensor result;      // the recorded result
  };

  // Identifies a tensor in the recording, which has several handles to it.
  static Key key(const at::Tensor& t);

  // The recorded calls.
  void find_uses();
  bool written_between(const at::Tensor& t, size_t after, size_t before) const;

  // Values.

  // Whether the value of a tensor from outside can be used in advance: its changes must be noticed.
  bool foldable(const External& e) const;
  Value& value(const at::Tensor& recorded);
  void put(const at::Tensor& recorded, Value v);
  // Uses the value of a constant in the plan: from now on a change of what it was computed from is noticed.
  const at::Tensor& use(const Value& v);
  // Returns the tensor of a value in the given dtype, to be used in the plan.
  at::Tensor in(const Call& like, const at::Tensor& recorded, at::ScalarType dtype);
  // Frees the memory of values that are not used again.
  void release(size_t now) { release(now, now); }
  void release(size_t of, size_t now);

  // The new calls.

  // Calls an operator and adds the call to the plan.
  std::vector<at::Tensor> call(const Call& like, const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                               std::vector<IValue> args);
  // Adds a call of a kernel to the plan, after running it once, and returns its result.
  at::Tensor add(const Call& like, Candidate k);
  at::Tensor contiguous(const Call& like, const at::Tensor& t, at::MemoryFormat format);
  // Returns t with the strides of the recording.
  at::Tensor restrided(const Call& like, const at::Tensor& t, const at::Tensor& recorded);
  // The dtype that all floating-point arguments of a recorded call get, if it is not theirs.
  std::optional<at::ScalarType> common(const Call& c);
  // Adds a recorded call to the plan, or computes it now if its arguments are constant.
  void emit(const Call& c);
  // Copies the results to the tensors that the step returned.
  void return_results();

  // Groups.

  // The constant value of an argument, or an undefined tensor.
  at::Tensor constant_of(const IValue& v, Group& g);
  // Sets the layer of a call that may begin a group.
  bool layer_of(const Call& c, Group& g);
  bool start_group(size_t i);
  // Adds the next call to a group, if it is the only one that uses the group's result.
  bool extend(Group& g);
  template <class F>
  bool take_addition(Group& g, const Call& c, const F& whole);
  // Folds batch normalization with constant statistics into the weights.
  bool fold_norm(Group& g, const Call& c);
  void emit_group(Group& g);
  // Sets the input of a group's layer, and the recorded tensor that it adds, in the given dtype. Returns the fastest
  // kernel for the layer, or nothing.
  std::vector<Candidate> prepare(Group& g, const at::Tensor& recorded, at::ScalarType dtype);

  Graph& g_;
  const std::unordered_set<c10::StorageImpl*>& inputs_;
  const at::ScalarType precision_;
  std::unordered_set<c10::StorageImpl*> returned_;
  std::unordered_map<c10::StorageImpl*, size_t> external_;
  std::unordered_map<c10::StorageImpl*, std::vector<size_t>> uses_, writes_;
  std::unordered_map<c10::StorageImpl*, size_t> last_;
  std::map<Key, Value> values_;
  std::unordered_set<c10::StorageImpl*> made_, held_;
  std::vector<Group> groups_;
  std::unordered_map<size_t, size_t> ends_;  // the last call of each group
  std::unordered_set<size_t> claimed_;       // calls in groups
  std::vector<Call> calls_;
  std::vector<at::Tensor> packed_;
  std::set<size_t> used_;
  std::shared_ptr<Scratch> scratch_ = std::make_shared<Scratch>();
};

}  // namespace gt::capture
