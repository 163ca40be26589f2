// The recorder: the fallback of the capture key, and the comparison of the two passes.
#pragma once

#include "graph.hpp"

#include <c10/util/intrusive_ptr.h>

#include <memory>
#include <mutex>

namespace gt::capture {

using Words = std::vector<uint64_t>;

// What a call was called with, of an operator or of another step.
struct Seen {
  Seen(const c10::OperatorHandle& op, uint32_t stack) : op(op), stack(stack) {}
  Seen(const char* step, uint32_t stack) : step(step), stack(stack) {}
  std::string name() const;
  Words& argument() {
    starts.push_back(words.size());
    return words;
  }

  std::optional<c10::OperatorHandle> op;
  const char* step = "";
  uint32_t stack;
  Words words;                // of the arguments, one after the other
  std::vector<size_t> starts;  // in words, of each argument
};

class Recorder {
 public:
  enum class Pass { none, rehearsal, record };

  Recorder() = default;
  // Makes an audit of a step that has been recorded: a pass that is compared and not kept.
  explicit Recorder(const Recorder& recorded);

  // Begins a pass. The generator is what random operators draw from outside of the step.
  void begin(uint32_t generator);
  // Tells the copies that the step is given from what they are copies of.
  void given(at::TensorList copies, at::TensorList sources);
  void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  void host(std::shared_ptr<HostStep> step);
  // Ends a pass, with what the step returned.
  void returned(at::TensorList results);
  // Whether gradients are there as a pass or the graph has to find them: 0 if they are, 1 if not, -1 if they cannot be again.
  int32_t fits() const;
  // Ends the comparison of the passes and makes the graph.
  void end(at::TensorList inputs, at::TensorList results);
  // Ends an audit. It is an error where the step is not what was recorded.
  void end_audit();

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
  // A copy of an input that the step is given.
  struct Given {
    size_t index;
    at::Tensor copy, source;
  };

  void describe(Words& w, const IValue& v);
  void describe(Words& w, const at::Tensor& t);
  void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  void follow(const std::unordered_set<c10::StorageImpl*>& written);
  void compare(Seen&& now);
  // The leaf among those that are watched; nothing for what is none, or made by the step.
  Leaf* leaf(const at::Tensor& t);
  void external(const at::Tensor& t);
  void made(const at::Tensor& original, const at::Tensor& kept, bool view);
  void release();
  void forget_results();
  bool casts_kept() const;
  // Runs a check. A lenient recording keeps why it failed instead of throwing; it is given up then.
  template <class F>
  bool allowed(F check);

  Pass pass_ = Pass::none;
  std::mutex mutex_;  // hooks of other threads of the engine
  std::shared_ptr<std::vector<Seen>> rehearsed_ = std::make_shared<std::vector<Seen>>();
  size_t next_ = 0;
  // The numbers of storage: of results in the order in which they were made, of other storage in that in which it was
  // first seen, with a bit of its own. A weak reference keeps the address from being another's.
  std::unordered_map<c10::StorageImpl*, uint64_t> names_;
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> held_;
  std::unordered_map<c10::TensorImpl*, size_t> leaf_index_;  // in graph.leaves
  std::unordered_set<c10::StorageImpl*> within_, outside_;
  std::unordered_set<c10::TensorImpl*> views_;  // over memory from outside: made by the step, or in graph.externals
  uint32_t generator_ = 0;
  Settings began_{};  // as a pass began
  size_t results_ = 0;
  std::string failure_;
  const char* unlike_ = "the step was run twice to capture it, and the second time was not like the first: ";
  std::vector<Given> inputs_;
  // How often the recording itself holds the results that still have memory.
  std::unordered_map<c10::StorageImpl*, int64_t> live_;
  size_t live_bytes_ = 0;  // of these
  size_t unlooked_ = 0;    // calls since these were looked at
};

}  // namespace gt::capture
