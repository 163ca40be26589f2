// The recorder: the fallback of the capture key, and the comparison of the two passes.
#pragma once

#include "aliases.hpp"
#include "graph.hpp"

#include <c10/util/intrusive_ptr.h>

#include <memory>
#include <mutex>

namespace gt::capture {

using Words = std::vector<uint64_t>;

// The arguments of a call of an operator or of a HostStep.
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
  Words words;                // the words of all arguments
  std::vector<size_t> starts;  // the index of each argument's first word
};

// Tensors that an operator may write to, and the bytes of their memory before the call.
using Sizes = std::vector<std::pair<at::Tensor, size_t>>;

// Removes older casts from autocast's cache, because they would be casts of weights that have
// changed. The cache is process-wide, and only one goroutine at a time uses it.
void forget_casts();

class Recorder {
 public:
  enum class Pass { none, rehearsal, record };

  Recorder() = default;
  // Starts an audit of a recorded step: a pass that is compared with the recording and then dropped.
  explicit Recorder(const Recorder& recorded);

  // Begins a pass. generator is the one that random operators use outside of the step.
  void begin(uint32_t generator);
  // Tells the recorder which of the step's inputs are copies, and of which tensors.
  void given(at::TensorList copies, at::TensorList sources);
  void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  void host(std::shared_ptr<HostStep> step);
  // Ends a pass with the step's results.
  void returned(at::TensorList results);
  // Whether the gradients are as the next pass or the graph expects them: 0 for yes, 1 for no, -1
  // if they can never be so again.
  int32_t fits() const;
  // Compares the passes and creates the graph.
  void end(at::TensorList inputs, at::TensorList results);
  // Ends an audit. It fails if the step differs from the recording.
  void end_audit();

  // Rejects an action that is not an operator and that a replay could not repeat.
  void spoil(const char* what);
  // Makes replays fail if the values of a tensor have changed. Rejects a tensor computed by the step.
  void looked(const at::Tensor& t);
  // Makes replays follow the gradient of a tensor that the step may set.
  void gradient(const at::Tensor& t, Gradient what);

  uint32_t number = 0;
  bool lenient = false;
  uint32_t failed_at = 0;  // the stack of a call that cannot be repeated
  Graph graph;

 private:
  // A copy of an input, passed to the step.
  struct Given {
    size_t index;
    at::Tensor copy, source;
  };

  void describe(Words& w, const IValue& v);
  void describe(Words& w, const at::Tensor& t);
  // Makes a call and adds it to the graph.
  void record(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  // Fails if a replay could not make the call as it is made now.
  void check_call(const Call& c, const Settings& now, const Sizes& written) const;
  void add_result(const at::Tensor& original, const at::Tensor& kept, bool view);
  // Makes replays count up the versions of tensors that are written to.
  void add_versions(const Sizes& written);
  // Counts the recording's references to results, and keeps memory from outside of the step alive.
  void add_live(const Call& c, const Aliases& aliases, const std::unordered_set<c10::StorageImpl*>& of_args);
  void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  void follow(const std::unordered_set<c10::StorageImpl*>& written);
  void compare(Seen&& now);
  // The entry in graph.leaves for a tensor, or nothing if it is not a leaf or was created by the step.
  Leaf* leaf(const at::Tensor& t);
  void external(const at::Tensor& t);
  void release();
  void forget_results();
  bool casts_kept() const;
  // Runs a check. If it fails, a lenient recording stores the reason and is given up; others throw.
  template <class F>
  bool allowed(F check) {
    if (!failure_.empty()) return false;
    try {
      check();
      return true;
    } catch (const c10::Error& e) {
      give_up(e);
      return false;
    }
  }
  // Stores a failure, or throws it again if the recording is not lenient. Call it in a catch block.
  void give_up(const c10::Error& e);

  Pass pass_ = Pass::none;
  std::mutex mutex_;  // hooks run on threads of the autograd engine
  std::shared_ptr<std::vector<Seen>> rehearsed_ = std::make_shared<std::vector<Seen>>();
  size_t next_ = 0;
  // The numbers of storage: results in the order of creation; other storage, marked by a bit, in the order of
  // first use. A weak reference prevents reuse of the address.
  std::unordered_map<c10::StorageImpl*, uint64_t> names_;
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> held_;
  std::unordered_map<c10::TensorImpl*, size_t> leaf_index_;  // the index in graph.leaves
  std::unordered_set<c10::StorageImpl*> within_, outside_;
  // Views of memory from outside, created by the step or in graph.externals.
  std::unordered_set<c10::TensorImpl*> views_;
  uint32_t generator_ = 0;
  Settings began_{};  // the settings at the start of a pass
  size_t results_ = 0;
  std::string failure_;
  const char* unlike_ = "the step was run twice to capture it, and the second time was not like the first: ";
  std::vector<Given> inputs_;
  // For each result that still has memory, how many references to it the recording itself holds.
  std::unordered_map<c10::StorageImpl*, int64_t> live_;
  size_t live_bytes_ = 0;  // their bytes
  size_t unlooked_ = 0;    // calls since the last scan of live_
};

}  // namespace gt::capture
