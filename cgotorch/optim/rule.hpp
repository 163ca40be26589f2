// Shared by the optimizers: how a step processes a group. Each optimizer is a Rule, which defines
// its state and how a parameter changes.
#pragma once

#include <string_view>
#include <vector>

#include "step.hpp"

namespace gt {

// A parameter with its gradient and its state, or a block of one, and the numbers that the rule has
// computed for this step.
struct One {
  at::Tensor param, grad, state[kMaxStates];
  double n[4] = {};
  at::Tensor t[2];  // numbers of this step, wrapped
  bool first = false;
};

struct Rule {
  const gt_settings& o;
  const char* name;
  int states;
  bool sparse = false;    // supports sparse gradients
  bool real = true;       // computes with complex numbers as pairs of real ones
  bool elements = true;   // update processes each element independently
  bool with_fused = false;
  bool beginnings = false;  // the first step of a parameter is different

  Rule(const gt_settings& settings, const char* name, int states) : o(settings), name(name), states(states) {}
  virtual ~Rule() = default;

  // Lists the state and creates what is missing. May reject the parameters.
  virtual void collect(Work& w, How how) = 0;
  // Computes the scalars for the update of one parameter, such as the bias corrections.
  virtual void prepare(One&) {}
  // Changes the parameter and its state. May run on several threads at once.
  virtual void update(One& x) const = 0;
  // Changes state that does not have the parameter's size.
  virtual void finish(One&) {}
  // Processes all parameters at once. Without it, one after the other.
  virtual void foreach(Work&, Batch&) {}
  virtual void fused(Batch&, const std::optional<at::Tensor>&, const std::optional<at::Tensor>&) {}
  virtual bool has_foreach() const { return true; }
  // Whether the step must know before it begins if found_inf skips it.
  virtual bool must_know(const Work&, How how) const { return how != How::fused; }

 protected:
  // The gradient with the sign of the objective and with weight decay.
  at::Tensor gradient(const One& x, double decay) const;
  void gradients(Batch& b, double decay) const;
};

// One step of a rule for a group.
void run(Rule& r, const gt_tensor* params, gt_tensor* state, int64_t n, const gt_how& how);

// An optimizer by its name: makes its rule and performs a step.
struct Optimizer {
  using Step = void (*)(const gt_tensor* params, gt_tensor* state, int64_t n, const gt_settings& o, const gt_how& how);

  static std::vector<Optimizer>& all() {
    static std::vector<Optimizer> list;
    return list;
  }

  std::string_view name;
  Step step;
};

// Adds the optimizer of a name, which the rest of the line makes from the settings o and how.
#define GT_OPTIMIZER(name, ...)                                                                          \
  const bool added_##name =                                                                              \
      (Optimizer::all().push_back({#name, [](const gt_tensor* params, gt_tensor* state, int64_t n,       \
                                             const gt_settings& o, [[maybe_unused]] const gt_how& how) { \
                                     auto rule = __VA_ARGS__;                                            \
                                     run(rule, params, state, n, how);                                   \
                                   }}),                                                                  \
       true)

// The tensors of a gradient scaler on the device of a batch.
std::optional<at::Tensor> beside(const Batch& b, const std::optional<at::Tensor>& t);
// Counts the steps of a batch for a fused kernel, and undoes those that inf skips.
void count_fused(Batch& b, int k);
void uncount_fused(Batch& b, int k, const std::optional<at::Tensor>& inf);
void copy_back(Batch& b);

}  // namespace gt
