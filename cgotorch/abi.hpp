// Shared by all C++ files behind abi.h. Header-only, because the generated operator
// package and the hand-written packages are linked separately until the last step.
#pragma once

#include "abi.h"

#include <ATen/core/Generator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/core/AutogradState.h>
#include <c10/core/Scalar.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>
#include <torch/headeronly/version.h>

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>

// 2.11 is the oldest libtorch that gotorch is built and tested with.
#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 11)
#error "gotorch needs libtorch 2.11.0 or newer: run scripts/install_libtorch.sh"
#endif

namespace gt {

// Carries a Go panic through C++ frames: from the callback that panicked to the call from Go into C++.
struct GoPanic : std::runtime_error {
  int64_t tag;
  explicit GoPanic(int64_t t) : std::runtime_error("panic in a Go callback"), tag(t) {}
};

struct MissingOperator : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A handle is the TensorImpl pointer that an at::Tensor consists of. So a parameter can
// be read in place as an at::Tensor, without changing the reference count. Packages that
// include this file are compiled with -fno-strict-aliasing, which makes this well
// defined.
static_assert(sizeof(at::Tensor) == sizeof(gt_tensor));

inline const at::Tensor& as(const gt_tensor& h) {
  // In C++, an undefined tensor is a pointer to a special TensorImpl, not a null pointer.
  static const at::Tensor undefined;
  return h ? *reinterpret_cast<const at::Tensor*>(&h) : undefined;
}

// Transfers the reference in t to the caller. The undefined tensor becomes zero.
inline gt_tensor release(at::Tensor&& t) {
  return t.defined() ? reinterpret_cast<gt_tensor>(t.unsafeReleaseTensorImpl()) : 0;
}
inline gt_tensor release(const at::Tensor& t) { return release(at::Tensor(t)); }

inline c10::Scalar scalar(const gt_scalar& s) {
  switch (s.kind) {
    case GT_SCALAR_INT: return c10::Scalar(s.i);
    case GT_SCALAR_BOOL: return c10::Scalar(s.i != 0);
    case GT_SCALAR_COMPLEX: return c10::Scalar(c10::complex<double>(s.d, s.im));
    default: return c10::Scalar(s.d);
  }
}

// --- thread state -----------------------------------------------------------

// The state that the last call set on this thread. On a new thread it is zero, which is
// the state of a new PyTorch thread.
inline thread_local gt_ctx tl_ctx = 0;

// Defined by package team. In a program without that package, this is a null pointer.
extern "C" __attribute__((weak)) bool gt_team_sees_regions(void);

// Sets how many threads an operator on this thread may use. libtorch's own setter changes
// the whole process, including MKL, so this sets the numbers of OpenMP and MKL for this
// thread.
//
// Inside a parallel region of libtorch, MKL would still ask for n threads, and would
// compute wrong values if it gets only one. So package team sets MKL's number to one
// inside regions. If team cannot observe regions, set_thread_count leaves MKL's number
// unchanged.
__attribute__((noinline, cold)) inline void set_thread_count(int n) {
  static const auto omp = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  static const auto limit = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_thread_limit"));
  static const bool seen = gt_team_sees_regions && gt_team_sees_regions();
  static const auto mkl =
      reinterpret_cast<int (*)(int)>(seen ? dlsym(RTLD_DEFAULT, "MKL_Set_Num_Threads_Local") : nullptr);
  at::get_num_threads();  // makes libtorch set up this thread now, or it would later undo the numbers set below
  if (limit) n = std::min(n, limit());
  if (omp) omp(n);
  if (mkl) mkl(n);
}

// Receives libtorch's warnings. If null, libtorch handles them itself. warnings.cpp sets
// it once, before the first call of enter.
inline std::atomic<c10::WarningHandler*> warning_handler{nullptr};

// Whether autocast is on for any device. Up to date only while the thread's row of modes is not 0.
inline thread_local bool tl_autocast = false;

// Applies a row of the table of less common modes to the calling thread; may throw. stale
// means that the last call on this thread threw, so its modes are unknown. modes.cpp sets
// this pointer once.
inline std::atomic<void (*)(uint32_t row, bool stale)> apply_modes{nullptr};

__attribute__((noinline, cold)) inline void apply_ctx(gt_ctx w) {
  if (!tl_ctx) {
    if (auto* h = warning_handler.load()) c10::WarningUtils::set_warning_handler(h);
  }
  const gt_ctx modes = GT_CTX_NO_GRAD | GT_CTX_INFERENCE;
  if ((w ^ tl_ctx) & modes) {
    const bool inference = w & GT_CTX_INFERENCE;
    const bool grad = !(w & (GT_CTX_NO_GRAD | GT_CTX_INFERENCE));
    // Sets the same state as c10::InferenceMode. That class cannot be used, because it
    // restores the state in its destructor, but a scope in Go spans many calls.
    auto state = c10::AutogradState::get_tls_state();
    if ((w ^ tl_ctx) & GT_CTX_INFERENCE) {
      auto keys = c10::impl::tls_local_dispatch_key_set();
      keys.included_ = inference ? keys.included_.remove(c10::DispatchKey::ADInplaceOrView)
                                 : keys.included_.add(c10::DispatchKey::ADInplaceOrView);
      keys.excluded_ = inference ? (keys.excluded_ | c10::autograd_dispatch_keyset)
                                 : (keys.excluded_ - c10::autograd_dispatch_keyset);
      c10::impl::_force_tls_local_dispatch_key_set(keys);
      state = c10::AutogradState(grad, inference, !inference, !inference);
    }
    state.set_grad_mode(grad);
    c10::AutogradState::set_tls_state(state);
  }
  const uint32_t threads = GT_CTX_THREADS(w);
  const uint32_t had = GT_CTX_THREADS(tl_ctx);
  if (threads && threads != had) set_thread_count(threads);
  if (!threads) w |= gt_ctx(had) << GT_CTX_THREADS_SHIFT;
  const gt_ctx before = tl_ctx;
  tl_ctx = w;
  const bool stale = before & GT_CTX_STALE;
  if (stale || GT_CTX_MODES(w) != GT_CTX_MODES(before)) {
    tl_ctx = w | GT_CTX_STALE;  // If apply throws, the next call tries again.
    if (auto* apply = apply_modes.load(std::memory_order_relaxed)) apply(GT_CTX_MODES(w), stale);
    tl_ctx = w;
  }
}

// The generators that this thread's current call has used, with their earlier states. An operator
// that ran out of memory may be called again, and must draw the same numbers. See generators.cpp.
struct Draws;
inline thread_local bool tl_drawn = false;
inline std::atomic<void (*)(const at::Generator&)> note_draws{nullptr};  // called before an operator uses a generator
inline std::atomic<Draws* (*)()> take_draws{nullptr};                   // the caller owns the result

inline void enter(gt_ctx w) {
  tl_drawn = false;
  if (__builtin_expect(w != tl_ctx, 0)) apply_ctx(w);
}

// Whether the calling thread runs a functional transform such as vmap. The threads of
// libtorch's autograd engine have this state too.
inline bool in_transform() {
  return c10::impl::tls_local_dispatch_key_set().included_.has(c10::DispatchKey::FuncTorchDynamicLayerFrontMode);
}

// Skips autograd in the dispatch of one call, as libtorch does for its kernels. With
// gradients off, autograd has nothing to do but still takes part in every dispatch, which
// costs a seventh of the time of a small network.
//
// Only for operators whose results share no memory with their arguments, because autograd
// must be told about views and writes. It does nothing under autocast, whose casts of
// weights are recorded and kept even if gradients are off. It also does nothing within a
// functional transform, where autograd computes forward-mode derivatives and the
// gradients of enclosing transforms.
class BelowAutograd {
 public:
  explicit BelowAutograd(gt_ctx w) {
    if (w & GT_CTX_NO_GRAD && !(GT_CTX_MODES(w) && tl_autocast) && !in_transform()) guard_.emplace();
  }

 private:
  std::optional<at::AutoDispatchBelowADInplaceOrView> guard_;
};

// --- errors -----------------------------------------------------------------

// Converts the exception in flight to a gt_error. Call only from a catch block.
__attribute__((noinline, cold)) inline uintptr_t caught() noexcept {
  auto make = [](int kind, const char* message, void* held = nullptr, int64_t tag = 0) {
    auto* e = static_cast<gt_error*>(std::malloc(sizeof(gt_error)));
    if (!e) std::abort();  // malloc of 32 bytes failed, so no error can be reported
    *e = gt_error{kind, tag, strdup(message), held};
    return reinterpret_cast<uintptr_t>(e);
  };
  auto c10error = [&](int kind, const c10::Error& e) {
    c10::Error* copy = nullptr;
    try {
      copy = new c10::Error(e);
    } catch (...) {  // If copying the error for its trace fails, keep the message.
    }
    return make(kind, e.what_without_backtrace(), copy);
  };
  auto drawn = [](uintptr_t err) {
    if (tl_drawn) reinterpret_cast<gt_error*>(err)->tag = reinterpret_cast<int64_t>(take_draws.load()());
    return err;
  };
  try {
    throw;
  } catch (const GoPanic& e) {
    return make(GT_ERR_GO_PANIC, e.what(), nullptr, e.tag);
  } catch (const MissingOperator& e) {
    return make(GT_ERR_MISSING, e.what());
  } catch (const c10::IndexError& e) {
    return c10error(GT_ERR_INDEX, e);
  } catch (const c10::ValueError& e) {
    return c10error(GT_ERR_VALUE, e);
  } catch (const c10::TypeError& e) {
    return c10error(GT_ERR_TYPE, e);
  } catch (const c10::NotImplementedError& e) {
    return c10error(GT_ERR_NOT_IMPL, e);
  } catch (const c10::LinAlgError& e) {
    return c10error(GT_ERR_LINALG, e);
  } catch (const c10::OutOfMemoryError& e) {
    return drawn(c10error(GT_ERR_OOM, e));
  } catch (const c10::Error& e) {
    return c10error(GT_ERR_RUNTIME, e);
  } catch (const std::bad_alloc& e) {
    return drawn(make(GT_ERR_OOM, e.what()));
  } catch (const std::exception& e) {
    return make(GT_ERR_RUNTIME, e.what());
  } catch (...) {
    return make(GT_ERR_UNKNOWN, "an exception that is no std::exception");
  }
}

}  // namespace gt
