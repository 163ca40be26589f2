// The recorder: the fallback of the capture key, and the comparison of the two passes.
#pragma once

#include "graph.hpp"

#include <c10/util/intrusive_ptr.h>

#include <memory>
#include <mutex>

namespace gt::capture {

// What a call was called with, in words that are equal if and only if it was the same.
struct Seen {
  std::string name;
  std::vector<std::string> args;
};

class Recorder {
 public:
  enum class Pass { none, rehearsal, record };

  // Begins a pass. The generator is what random operators draw from outside of the step.
  void begin(uint32_t generator);
  void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  void host(std::shared_ptr<HostStep> step);
  // Ends the comparison of the passes and makes the graph.
  void end(const gt_tensor* inputs, int64_t n);

  // For what is not an operator and could not be repeated.
  void spoil(const char* what);
  // Has replays fail once the values of a tensor are others, or refuses one that the step makes.
  void looked(const at::Tensor& t);
  // Has replays follow the gradient of a tensor that the step may set.
  void gradient(const at::Tensor& t, Gradient what);

  uint32_t number = 0;
  bool lenient = false;
  uint32_t failed_at = 0;  // the stack of what could not be repeated
  Graph graph;

 private:
  std::string describe(const IValue& v);
  std::string describe(const at::Tensor& t);
  void compare(const Seen& now);
  // The leaf among those that are watched; nothing for what is none, or made by the step.
  Leaf* leaf(const at::Tensor& t);
  void external(const at::Tensor& t);
  void made(const at::Tensor& original, const at::Tensor& kept, bool view);
  void release();
  bool casts_kept() const;
  // Runs a check. A lenient recording keeps why it failed instead of throwing; it is given up then.
  template <class F>
  bool allowed(F check);

  Pass pass_ = Pass::none;
  std::mutex mutex_;  // hooks of other threads of the engine
  std::vector<Seen> rehearsed_;
  size_t next_ = 0;
  // Which storage is which: results by the order in which they were made, others by
  // where they are. A weak reference keeps the address from being another's.
  std::unordered_map<c10::StorageImpl*, std::string> names_;
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> held_;
  std::unordered_map<c10::TensorImpl*, size_t> leaf_index_;  // in graph.leaves
  std::unordered_set<c10::StorageImpl*> within_, outside_;
  std::unordered_set<c10::TensorImpl*> views_;  // over memory from outside: made by the step, or in graph.externals
  uint32_t generator_ = 0;
  Settings began_{};  // as a pass began
  size_t results_ = 0;
  std::string failure_;
  // How often the recording itself holds the results that still have memory.
  std::unordered_map<c10::StorageImpl*, int64_t> live_;
  size_t unlooked_ = 0;  // calls since these were looked at
};

}  // namespace gt::capture
