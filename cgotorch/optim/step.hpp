// What the steps of all optimizers share: checking a group, creating
// missing state, and the lists that libtorch's kernels take.
#pragma once

#include "../abi.hpp"

#include <ATen/core/grad_mode.h>

#include <vector>

#include "optim.h"

namespace gt {

constexpr int kMaxStates = GT_MAX_STATES;

// A step runs without autograd, because nothing has to be recorded. wrote
// increments the version counters of the written tensors, as autograd would.
struct Quiet {
  at::NoGradGuard no_grad;
  at::AutoDispatchBelowADInplaceOrView below;
};

inline void wrote(const at::Tensor& t) {
  if (!t.is_inference()) t.unsafeGetTensorImpl()->bump_version();
}

// A group as the caller passes it.
struct Group {
  const gt_tensor* params;
  gt_tensor* state;  // the states of each parameter
  int64_t n;
};

// The parameters of a group that have a gradient. The thread keeps
// it, empty between steps, so that a step needs no allocations.
struct Work {
  Group group{};
  int states = 0;
  std::vector<int64_t> index;  // in the group
  std::vector<at::Tensor> params, grads, state[kMaxStates];
  // Whether a list of state holds the caller's tensors without counting
  // references, as params always does. The tensors outlive the step,
  // and counting would take a quarter of the time for small tensors.
  bool borrowed[kMaxStates] = {};
  std::vector<char> first;  // whether the parameter had no state yet

  // Returns a parameter's new state to the caller.
  void keep(size_t i) {
    for (int k = 0; k < states; k++) {
      gt_tensor& slot = group.state[index[i] * states + k];
      if (!slot && i < state[k].size()) slot = release(state[k][i]);
    }
  }
  size_t size() const { return params.size(); }
};

// The thread's Work. The destructor empties it at the end of the step.
class Step {
 public:
  Step(const Group& g, int states);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  Work& work;
};

enum class How { single, foreach, fused };

// Returns the implementation that Python would choose for these parameters.
How choose(const Work& w, const gt_how& how);

// Lists every parameter with a gradient in w.
void list(Work& w);

// Rejects parameters and gradients that the optimizer with this name cannot use. sparse tells
// whether sparse gradients are valid.
void check(const Work& w, const char* name, How how, bool sparse);

// How to create a missing state.
enum class Make { anything, zeros, value };

// Lists state k, a tensor with its parameter's shape.
void collect_state(Work& w, int k, Make make, double value = 0);
// List state k, which is one number per parameter: the count of steps, or a number
// that starts as value. The numbers are on the CPU or on the parameter's device.
void collect_steps(Work& w, int k, How how);
void collect_numbers(Work& w, int k, double value, bool with_parameter);
// Rejects a tensor that is not a number as in collect_numbers.
void check_number(const at::Tensor& t, const char* what);
// Rejects tensors that a step cannot write to.
void check_writable(const at::Tensor& t, const char* what);

// Adds 1 to a count of steps and returns it.
double count(at::Tensor& step);

// Returns a number as a tensor, for operators that require one. All parameters
// share it, because creating a tensor takes as long as a small operator.
at::Tensor wrapped(double v);

// Checks a tensor of a gradient scaler and returns it, or nothing if t is zero.
std::optional<at::Tensor> one_number(const char* name, gt_tensor t);
// Divides the gradients by the scale, for implementations that do not do so themselves.
void unscale(Work& w, const at::Tensor& scale);

// Lists of tensors with the same device and dtype, for one call of a kernel.
struct Batch {
  std::vector<size_t> at;  // in the Work
  std::vector<at::Tensor> params, grads, state[kMaxStates];
  // Parameters with gaps in memory, which fused kernels do not support, each
  // with its copy. The kernel changes the copy, which is then copied back.
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;
  bool first = false;

  bool takes(const Work& w, size_t i) const;
};

// Whether a fused kernel can process all parameters at once, which is almost always possible.
bool alike(const Work& w);

// A single batch of all parameters. It holds the lists of the Work while it exists.
class Lent {
 public:
  explicit Lent(Work& w) : work_(w) { exchange(); }
  ~Lent() { exchange(); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  Batch batch;

 private:
  void exchange();

  Work& work_;
};

// Groups the parameters into batches, almost always one. In a batch for a fused kernel,
// which processes memory without indices, all tensors of a parameter have the same layout.
std::vector<Batch> batches(Work& w, How how);

}  // namespace gt
