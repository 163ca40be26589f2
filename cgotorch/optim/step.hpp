// Shared by the steps of all optimizers: checks a group, creates missing state, and makes
// the lists of tensors for libtorch's kernels.
#pragma once

#include "../abi.hpp"

#include <ATen/core/grad_mode.h>

#include <vector>

#include "optim.h"

namespace gt {

constexpr int kMaxStates = GT_MAX_STATES;

// Turns autograd off during a step, because nothing has to be recorded. wrote increments
// the version counters of written tensors, as autograd would do.
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
  gt_tensor* state;  // handles of the state tensors of each parameter
  int64_t n;
};

// The parameters of a group that have a gradient. The thread keeps this object, empty
// between steps, so that a step needs no allocations.
struct Work {
  Group group{};
  int states = 0;
  std::vector<int64_t> index;  // in the group
  std::vector<at::Tensor> params, grads, state[kMaxStates];
  // Whether a state list holds the caller's tensors without counting references. params
  // always does. The tensors outlive the step, and for small tensors counting takes a
  // quarter of the time.
  bool borrowed[kMaxStates] = {};
  std::vector<char> first;  // for each parameter: whether it had no state before this step

  // Passes the new state of parameter i to the caller.
  void keep(size_t i) {
    for (int k = 0; k < states; k++) {
      gt_tensor& slot = group.state[index[i] * states + k];
      if (!slot && i < state[k].size()) slot = release(state[k][i]);
    }
  }
  size_t size() const { return params.size(); }
};

// Gives access to the thread's Work during a step. The destructor empties it.
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

// Adds every parameter that has a gradient to w.
void list(Work& w);

// Fails if the optimizer called name cannot use the parameters and gradients in w. sparse
// says whether the optimizer supports sparse gradients.
void check(const Work& w, const char* name, How how, bool sparse);

// The initial values of missing state.
enum class Make { anything, zeros, value };

// Lists state k, whose tensors have the shapes of their parameters.
void collect_state(Work& w, int k, Make make, double value = 0);
// These list state k, which is one number per parameter: a step count, or a number that
// is initially value. The numbers are on the CPU or on the parameter's device.
void collect_steps(Work& w, int k, How how);
void collect_numbers(Work& w, int k, double value, bool with_parameter);
// Like collect_numbers, rejects a tensor that does not contain exactly one number.
void check_number(const at::Tensor& t, const char* what);
// Rejects a tensor that a step cannot write to.
void check_writable(const at::Tensor& t, const char* what);

// Adds 1 to the step count of a parameter, and returns the count.
double count(at::Tensor& step);

// Returns v as a tensor, for operators that require one. All parameters share the tensor, because
// creating one takes as long as a small operator.
at::Tensor wrapped(double v);

// Returns a gradient scaler's tensor after checking it, or nothing if t is zero.
std::optional<at::Tensor> one_number(const char* name, gt_tensor t);
// Divides the gradients by scale, for implementations that cannot do it themselves.
void unscale(Work& w, const at::Tensor& scale);

// Lists of tensors with the same device and dtype, for one call of a kernel.
struct Batch {
  std::vector<size_t> at;  // in the Work
  std::vector<at::Tensor> params, grads, state[kMaxStates];
  // Fused kernels do not support parameters with gaps in memory. Each such parameter is paired with
  // a copy. The kernel changes the copy, which is then copied back.
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;
  bool first = false;

  bool takes(const Work& w, size_t i) const;
};

// Whether one fused kernel can process all parameters at once, which is almost always
// true.
bool alike(const Work& w);

// A single batch of all parameters. While it exists, it uses the lists of the Work.
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

// Groups the parameters into batches. There is almost always only one. In a batch for a
// fused kernel, which ignores strides, all tensors of a parameter have the same layout.
std::vector<Batch> batches(Work& w, How how);

}  // namespace gt
