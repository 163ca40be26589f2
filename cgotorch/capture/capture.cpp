#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "capture.h"

#include "record.hpp"
#include "slots.hpp"

using gt::capture::Recorder;

namespace {

Recorder& of(gt_capture g) { return *reinterpret_cast<Recorder*>(g); }

at::TensorList list(const gt_tensor* ts, int64_t n) {
  return at::TensorList(reinterpret_cast<const at::Tensor*>(ts), n);
}

void number(Recorder& r, uint32_t* out) {
  r.number = gt::capture::take_number();
  TORCH_CHECK_VALUE(r.number, gt::capture::kRecordings, " steps are being captured already, and no more can be");
  *out = r.number;
}

void give_back(Recorder& r) { gt::capture::give_back(std::exchange(r.number, 0)); }

}  // namespace

extern "C" {

uintptr_t gt_capture_new(int32_t lenient, gt_capture* out, uint32_t* out_number) {
  try {
    auto r = std::make_unique<Recorder>();
    r->lenient = lenient != 0;
    number(*r, out_number);
    *out = reinterpret_cast<gt_capture>(r.release());
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_capture_pass(gt_ctx ctx, gt_capture g, const gt_tensor* copies, const gt_tensor* sources, int64_t n) {
  try {
    gt::enter(ctx);
    of(g).given(list(copies, n), list(sources, n));
    of(g).begin(GT_CTX_GENERATOR(ctx));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_capture_returned(gt_ctx ctx, gt_capture g, const gt_tensor* results, int64_t n) {
  try {
    gt::enter(ctx);
    of(g).returned(list(results, n));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

void gt_capture_optimize(gt_capture g, const gt_tensor* inputs, int64_t n, int32_t bfloat16) {
  of(g).optimize = true;
  if (bfloat16) of(g).precision = at::kBFloat16;
  for (const at::Tensor& t : list(inputs, n)) {
    if (t.has_storage()) of(g).changing.insert(gt::capture::storage(t));
  }
}

uintptr_t gt_capture_report(gt_ctx ctx, gt_capture g, char** out) {
  try {
    gt::enter(ctx);
    gt::not_in_capture("a graph is replayed");
    auto& graph = of(g).graph;
    const std::vector<int64_t> times = graph.optimized ? graph.time() : std::vector<int64_t>(graph.calls.size());
    std::string text = of(g).unchanged;
    std::replace(text.begin(), text.end(), '\n', ' ');
    text += graph.optimized ? "\t1" : "\t0";
    for (size_t i = 0; i < graph.calls.size(); i++) {
      const auto& c = graph.calls[i];
      if (c.how != gt::capture::How::skip) text += c10::str('\n', graph.kernel(c), '\t', times[i]);
    }
    *out = strdup(text.c_str());
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

int32_t gt_capture_packed(gt_capture g, int64_t i, const void** at, int64_t* bytes) {
  const auto& packed = of(g).graph.packed;
  if (i >= static_cast<int64_t>(packed.size())) return 0;
  if (packed[i].is_mkldnn()) {
    // The thread may have been left recording: an operator here is not part of any step.
    gt::Unrecorded guard;
    const auto ask = [&](const char* op) {
      torch::jit::Stack stack{packed[i]};
      c10::Dispatcher::singleton().findSchemaOrThrow(op, "").callBoxed(&stack);
      return stack[0].toInt();
    };
    *at = reinterpret_cast<const void*>(ask("mkldnn::data_ptr"));
    *bytes = ask("mkldnn::_nbytes");
    return 1;
  }
  *at = packed[i].storage().data();
  *bytes = static_cast<int64_t>(packed[i].storage().nbytes());
  return 1;
}

uintptr_t gt_capture_end(gt_ctx ctx, gt_capture g, const gt_tensor* inputs, int64_t n, const gt_tensor* results,
                         int64_t n_results, uint32_t* out_stack) {
  *out_stack = 0;
  try {
    gt::enter(ctx);
    of(g).end(list(inputs, n), list(results, n_results));
    give_back(of(g));
    return 0;
  } catch (...) {
    *out_stack = of(g).graph.failed_at ? of(g).graph.failed_at : of(g).failed_at;
    return gt::caught();
  }
}

uintptr_t gt_capture_audit(gt_capture g, gt_capture* out, uint32_t* out_number) {
  try {
    auto r = std::make_unique<Recorder>(of(g));
    number(*r, out_number);
    *out = reinterpret_cast<gt_capture>(r.release());
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_capture_compare(gt_ctx ctx, gt_capture audit, uint32_t* out_stack) {
  *out_stack = 0;
  try {
    gt::enter(ctx);
    of(audit).end_audit();
    return 0;
  } catch (...) {
    *out_stack = of(audit).failed_at;
    return gt::caught();
  }
}

uintptr_t gt_capture_adopt(gt_ctx ctx, gt_capture g, const gt_tensor* results, int64_t n) {
  try {
    gt::enter(ctx);
    of(g).graph.adopt(list(results, n));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_capture_check(gt_ctx ctx, gt_capture g) {
  try {
    gt::enter(ctx);
    of(g).graph.check();
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

int32_t gt_capture_match_gradients(gt_ctx ctx, gt_capture g) {
  gt::enter(ctx);
  return static_cast<int32_t>(of(g).match_gradients());
}

uintptr_t gt_capture_feed(gt_ctx ctx, gt_capture g, const gt_tensor* inputs, const gt_tensor* sources, int64_t n,
                          int32_t* out_written) {
  try {
    gt::enter(ctx);
    *out_written = of(g).lenient && of(g).graph.writes(list(sources, n));
    if (!*out_written) of(g).graph.feed(list(inputs, n), list(sources, n));
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

uintptr_t gt_capture_replay(gt_ctx ctx, gt_capture g, uint32_t* out_stack, int32_t* out_stale) {
  try {
    gt::enter(ctx);
    gt::not_in_capture("a graph is replayed");
    of(g).graph.replay(out_stack, out_stale);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

void gt_capture_info(gt_capture g, gt_capture_stats* out) { *out = of(g).graph.stats; }

void gt_capture_free(gt_capture g) {
  give_back(of(g));
  delete &of(g);
}

}  // extern "C"

#endif
