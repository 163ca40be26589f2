// What the steps of all optimizers share: checking a group, its missing state,
// and the lists that libtorch's kernels take.
#pragma once

#include "../abi.hpp"

#include <ATen/core/grad_mode.h>

#include <vector>

#include "optim.h"

namespace gt {

constexpr int kMaxStates = GT_MAX_STATES;

// A step runs without autograd, which has nothing to record. What it would have
// done besides, counting the versions of what is written, is done by wrote.
struct Quiet {
  at::NoGradGuard no_grad;
  at::AutoDispatchBelowADInplaceOrView below;
};

inline void wrote(const at::Tensor& t) {
  if (!t.is_inference()) t.unsafeGetTensorImpl()->bump_version();
}

// A group as the caller holds it.
struct Group {
  const gt_tensor* params;
  gt_tensor* state;  // states of them for each parameter
  int64_t n;
};

// The parameters of a group that have a gradient. Empty between steps, and kept
// by the thread so that a step allocates nothing of its own.
struct Work {
  Group group{};
  int states = 0;
  std::vector<int64_t> index;  // in the group
  std::vector<at::Tensor> params, grads, state[kMaxStates];
  // Whether a list of state holds the caller's tensors without counting references,
  // as params always does: they outlive the step, and counting would be a quarter of
  // the time that small tensors take.
  bool borrowed[kMaxStates] = {};
  std::vector<char> first;  // whether the parameter had none of its state

  // Gives a parameter's state to the caller, where the caller had none.
  void keep(size_t i) {
    for (int k = 0; k < states; k++) {
      gt_tensor& slot = group.state[index[i] * states + k];
      if (!slot && i < state[k].size()) slot = release(state[k][i]);
    }
  }
  size_t size() const { return params.size(); }
};

// The thread's Work, which is empty again at the end of the step.
class Step {
 public:
  Step(const Group& g, int states);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  Work& work;
};

enum class How { single, foreach, fused };

// The implementation that Python would choose for these parameters.
How choose(const Work& w, const gt_how& how);

// Lists every parameter with a gradient.
void list(Work& w);

// Refuses parameters and gradients that the optimizer of this name cannot use;
// sparse says whether sparse gradients will do.
void check(const Work& w, const char* name, How how, bool sparse);

// What a state is made of where it is missing.
enum class Make { anything, zeros, value };

// Lists state k, which has its parameter's shape.
void collect_state(Work& w, int k, Make make, double value = 0);
// Lists state k, which is one number for each parameter: the count of steps, and
// others that begin as value. They are on the CPU, or where the parameter is.
void collect_steps(Work& w, int k, How how);
void collect_numbers(Work& w, int k, double value, bool with_parameter);
// Refuses a tensor that is no such number.
void check_number(const at::Tensor& t, const char* what);
// Refuses what a step cannot write to.
void check_writable(const at::Tensor& t, const char* what);

// Counts a step and returns the count.
double count(at::Tensor& step);

// A number as operators take it where a tensor is due. One does for all
// parameters: making one takes as long as a small operator.
at::Tensor wrapped(double v);

// A tensor of a gradient scaler's.
std::optional<at::Tensor> one_number(const char* name, gt_tensor t);
// Divides the gradients, for implementations that do not themselves.
void unscale(Work& w, const at::Tensor& scale);

// Lists of equal length on one device, of one dtype, for one call of a kernel.
struct Batch {
  std::vector<size_t> at;  // in the Work
  std::vector<at::Tensor> params, grads, state[kMaxStates];
  // Parameters with gaps in memory, which fused kernels do not handle: they
  // work on a copy, which is copied back.
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;
  bool first = false;

  bool takes(const Work& w, size_t i) const;
};

// Whether a fused kernel can take all parameters at once as they are, which is nearly
// always so.
bool alike(const Work& w);

// The one batch of those, which has the lists of the Work while it lives.
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

// Sorts the parameters into batches, nearly always into one. For the fused
// kernels, which walk memory and not indices, all are laid out alike.
std::vector<Batch> batches(Work& w, How how);

}  // namespace gt
