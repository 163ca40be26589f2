#ifdef GOTORCH_TOGETHER  // compiled by together.cpp, after all the rules

#include "rule.hpp"

namespace {

void step(int32_t optimizer, const gt_tensor* params, gt_tensor* state, int64_t n, const gt_settings& o, const gt_how& how) {
  const auto run = [&](auto&& rule) { gt::run(rule, params, state, n, how); };
  switch (optimizer) {
    case GT_ADADELTA: return run(gt::Adadelta(o));
    case GT_ADAFACTOR: return run(gt::Adafactor(o, how));
    case GT_ADAGRAD: return run(gt::Adagrad(o));
    case GT_ADAM: return run(gt::Adam(o, "Adam"));
    case GT_ADAMAX: return run(gt::Adamax(o));
    case GT_ADAMW: return run(gt::Adam(o, "AdamW"));
    case GT_ASGD: return run(gt::ASGD(o));
    case GT_MUON: return run(gt::Muon(o));
    case GT_NADAM: return run(gt::NAdam(o));
    case GT_RADAM: return run(gt::RAdam(o));
    case GT_RMSPROP: return run(gt::RMSprop(o));
    case GT_RPROP: return run(gt::Rprop(o));
    case GT_SGD: return run(gt::SGD(o));
    case GT_SPARSE_ADAM: return run(gt::SparseAdam(o));
  }
  TORCH_CHECK_VALUE(false, "no optimizer has the number ", optimizer);
}

}  // namespace

extern "C" uintptr_t gt_optimizer_step(gt_ctx ctx, int32_t optimizer, const gt_tensor* params, gt_tensor* state, int64_t n,
                                       const gt_settings* o, const gt_how* how) {
  try {
    gt::enter(ctx);
    step(optimizer, params, state, n, *o, *how);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

#endif
