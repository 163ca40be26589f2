// The recorder. It is the fallback kernel of the capture key, and compares the two passes.
#pragma once

#include "aliases.hpp"
#include "graph.hpp"

#include <c10/util/intrusive_ptr.h>

#include <memory>
#include <mutex>

namespace gt::capture {

using Words = std::vector<uint64_t>;

// A call of an operator or of a HostStep, described by its arguments.
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

// Tensors that an operator may write to, each with the size of its memory in bytes before the call.
using Sizes = std::vector<std::pair<at::Tensor, size_t>>;

// Whether something is the same as in the recording or, if it is not, whether it can
// become the same again.
enum class Match { matches, differs, never_matches };

// Empties autocast's cache, because it may contain casts of weights that have since
// changed. The cache is process-wide, and only one goroutine at a time uses it.
void forget_casts();

class Recorder {
 public:
  enum class Pass { none, rehearsal, record };

  Recorder() = default;
  // Starts an audit of a recorded step: a pass that is compared with the recording and then dropped.
  explicit Recorder(const Recorder& recorded);

  // Begins a pass. generator is the generator that random operators use when the step
  // does not run.
  void begin(uint32_t generator);
  // Tells the recorder that the step gets these copies of these sources.
  void given(at::TensorList copies, at::TensorList sources);
  void call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  void host(std::shared_ptr<HostStep> step);
  // Ends a pass. results are the results that the step has returned.
  void returned(at::TensorList results);
  // Compares the gradients with the gradients that the next pass or the graph expects.
  Match match_gradients() const;
  // Compares the passes and creates the graph.
  void end(at::TensorList inputs, at::TensorList results);
  // Ends an audit. It fails if the step differs from the recording.
  void end_audit();

  // Fails because of an action that is not an operator and that a replay cannot repeat.
  void spoil(const char* what);
  // Makes replays fail if the values of t have changed. Fails if the step has computed t.
  void looked(const at::Tensor& t);
  // Makes replays read the gradient of t again, because the step uses it.
  void gradient(const at::Tensor& t, Gradient what);

  uint32_t number = 0;
  bool lenient = false;
  // Whether to optimize the graph, in which precision, the memory of the inputs whose values change, and why it was
  // not optimized.
  bool optimize = false;
  at::ScalarType precision = at::kFloat;
  std::unordered_set<c10::StorageImpl*> changing;
  std::string unchanged;
  uint32_t failed_at = 0;  // the stack of the call that a replay cannot repeat
  Graph graph;

 private:
  // A copy of an input. The step gets the copy.
  struct Given {
    size_t index;
    at::Tensor copy, source;
  };

  void describe(Words& w, const IValue& v);
  void describe(Words& w, const at::Tensor& t);
  // Makes a call and adds it to the graph.
  void record(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  // Fails if a replay cannot repeat the call.
  void check_call(const Call& c, const Settings& now, const Sizes& written) const;
  void add_result(const at::Tensor& original, const at::Tensor& kept, bool view);
  // Makes replays increase the versions of the tensors that the step writes to.
  void add_versions(const Sizes& written);
  // Counts the recording's references to results, and keeps memory from outside the step
  // alive.
  void add_live(const Call& c, const Aliases& aliases, const std::unordered_set<c10::StorageImpl*>& of_args);
  void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);
  void follow(const std::unordered_set<c10::StorageImpl*>& written);
  void compare(Seen&& now);
  // Returns the entry of graph.leaves for t, or null if t is not a leaf or the step has created it.
  Leaf* leaf(const at::Tensor& t);
  void external(const at::Tensor& t);
  void release();
  void forget_results();
  bool casts_kept() const;
  // Runs a check. If it throws, a lenient recording stores the error and stops recording;
  // a strict one rethrows it.
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
  // Stores a failure, or rethrows it if the recording is not lenient. Call it in a catch
  // block.
  void give_up(const c10::Error& e);

  Pass pass_ = Pass::none;
  std::mutex mutex_;  // locked because hooks run on threads of the autograd engine
  std::shared_ptr<std::vector<Seen>> rehearsed_ = std::make_shared<std::vector<Seen>>();
  size_t next_ = 0;
  // A number for each storage. Results are numbered in the order of creation. Other
  // storages are numbered in the order of first use, and have a bit set. A weak reference
  // to each storage prevents reuse of its address.
  std::unordered_map<c10::StorageImpl*, uint64_t> names_;
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> held_;
  std::unordered_map<c10::TensorImpl*, size_t> leaf_index_;  // index of each leaf in graph.leaves
  std::unordered_set<c10::StorageImpl*> within_, outside_;
  // Views of memory from outside the step that the step has created, or that are in graph.externals.
  std::unordered_set<c10::TensorImpl*> views_;
  uint32_t generator_ = 0;
  Settings began_{};  // libtorch's settings at the start of the pass
  size_t results_ = 0;
  std::string failure_;
  const char* unlike_ = "the two runs that capture the step differ: ";
  std::vector<Given> inputs_;
  // The number of the recording's own references to each result that still has memory.
  std::unordered_map<c10::StorageImpl*, int64_t> live_;
  size_t live_bytes_ = 0;  // their bytes
  size_t unlooked_ = 0;    // number of calls since live_ was last scanned
};

}  // namespace gt::capture
