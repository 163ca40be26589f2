// Defines a step for all optimizers. Each optimizer is a Rule, which defines its state
// and how a step changes a parameter.
#pragma once

#include <ATen/ops/linalg_vector_norm_ops.h>

#include <string_view>
#include <vector>

#include "step.hpp"

namespace gt {

// A parameter with its gradient and its state, or a block of these
// tensors. n and t are scalars that the rule has computed for this step.
struct One {
  at::Tensor param, grad, state[kMaxStates];
  double n[4] = {};
  at::Tensor t[2];  // scalars of this step as tensors; see wrapped
  bool first = false;
};

// Returns the Euclidean norm of all elements.
inline at::Tensor norm(const at::Tensor& t) { return at::_ops::linalg_vector_norm::call(t, 2, {}, false, {}); }

struct Rule {
  const gt_settings& o;
  const char* name;
  int states;
  bool sparse = false;    // whether sparse gradients are supported
  bool real = true;       // whether complex numbers are processed as pairs of real ones
  bool elements = true;   // whether update processes each element independently
  bool with_fused = false;
  bool beginnings = false;  // whether the first step of a parameter differs from later ones

  Rule(const gt_settings& settings, const char* name, int states) : o(settings), name(name), states(states) {}
  virtual ~Rule() = default;

  // Lists the state in w, and creates missing state. May reject the parameters.
  virtual void collect(Work& w, How how) = 0;
  // Computes the scalars for the update of one parameter, such as the bias corrections.
  virtual void prepare(One&) {}
  // Changes the parameter and its state. May run on several threads at once.
  virtual void update(One& x) const = 0;
  // Changes the state whose size differs from the parameter's.
  virtual void finish(One&) {}
  // Processes all parameters at once. A rule that does not override this function
  // processes the parameters one at a time.
  virtual void foreach(Work&, Batch&) {}
  virtual void fused(Batch&, const std::optional<at::Tensor>&, const std::optional<at::Tensor>&) {}
  virtual bool has_foreach() const { return true; }
  // Whether a step must know before it begins whether found_inf skips it.
  virtual bool must_know(const Work&, How how) const { return how != How::fused; }

 protected:
  // Returns the gradient with weight decay. If maximize is set, it is negated.
  at::Tensor gradient(const One& x, double decay) const;
  void gradients(Batch& b, double decay) const;
};

// Performs one step of a rule for all parameters of a group.
void run(Rule& r, const gt_tensor* params, gt_tensor* state, int64_t n, const gt_how& how);

// An optimizer with its name. Its function step creates the rule and performs one step.
struct Optimizer {
  using Step = void (*)(const gt_tensor* params, gt_tensor* state, int64_t n, const gt_settings& o, const gt_how& how);

  static std::vector<Optimizer>& all() {
    static std::vector<Optimizer> list;
    return list;
  }

  std::string_view name;
  Step step;
};

// Adds the optimizer called `name`. The other arguments are an expression that creates
// its rule from the settings o and how.
#define GT_OPTIMIZER(name, ...)                                                                          \
  const bool added_##name =                                                                              \
      (Optimizer::all().push_back({#name, [](const gt_tensor* params, gt_tensor* state, int64_t n,       \
                                             const gt_settings& o, [[maybe_unused]] const gt_how& how) { \
                                     auto rule = __VA_ARGS__;                                            \
                                     run(rule, params, state, n, how);                                   \
                                   }}),                                                                  \
       true)

// Returns a gradient scaler's tensor, moved to the device of the batch.
std::optional<at::Tensor> beside(const Batch& b, const std::optional<at::Tensor>& t);
// Increases the step counts of a batch for a fused kernel. If found_inf skips the step, restores them.
void count_fused(Batch& b, int k);
void uncount_fused(Batch& b, int k, const std::optional<at::Tensor>& inf);
void copy_back(Batch& b);

}  // namespace gt
