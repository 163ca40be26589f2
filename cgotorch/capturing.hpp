// The shim's interface to recordings of steps (capture/capture.h): whether the calling thread
// takes part in a recording, and how to record operations that the dispatcher does not see.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKey.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace gt {

// A dispatch key below autograd and above the choice of a device. libtorch registers
// nothing for it; Python uses it for tensors without data. Threads that take part in a
// recording include this key, and the recorder is its fallback kernel.
constexpr auto kCaptureKey = c10::DispatchKey::Fake;

// The number of the recording that the calling thread takes part in, 0 for none.
inline thread_local uint32_t tl_capture = 0;

inline void take_part(uint32_t number) {
  tl_capture = number;
  c10::impl::tls_set_dispatch_key_included(kCaptureKey, number != 0);
}

// Tells the calling thread's recording that a replay cannot repeat something. Throws, or
// stops the recording and lets the step continue. The recording package sets this pointer
// once.
inline std::atomic<void (*)(const char* what)> spoil_capture{nullptr};

// Fails in a recording. what describes the action that a replay cannot repeat.
inline void not_in_capture(const char* what) {
  if (tl_capture) spoil_capture.load()(what);
}

// What a step does with the gradient of a leaf: reads it, adds to it, or sets it, possibly to none.
enum class Gradient { read, added, set };

// Tells the recording how the step uses a gradient. The recorder sees only operators, and
// the leaf need not be an argument of any operator.
inline std::atomic<void (*)(const at::Tensor& leaf, Gradient what)> watch_gradient{nullptr};

inline void gradient_is(Gradient what, const at::Tensor& leaf) {
  if (tl_capture) watch_gradient.load()(leaf, what);
}

// Tells the recording that a guard reads the values of t before an operator, because
// invalid values would crash the process. A replay would not check them.
inline std::atomic<void (*)(const at::Tensor& t)> watch_values{nullptr};

// Returns numbers that identify the hooks of a leaf. They change when a hook is added or removed.
std::vector<int64_t> hooks_of(const at::Tensor& leaf);

// A part of a step that is not recorded operator by operator. Each replay runs it again as a whole.
class HostStep {
 public:
  virtual ~HostStep() = default;
  virtual const char* name() const = 0;
  virtual void run() = 0;

  std::vector<at::Tensor> params;  // leaves whose gradients run reads
  // The gradient that run must find in each of params; undefined for none.
  std::vector<at::Tensor> grads;
  std::vector<at::Tensor> reads, writes;
};

// Adds a step to the calling thread's recording. Set once, by the recording package.
inline std::atomic<void (*)(std::shared_ptr<HostStep>)> add_host_step{nullptr};

// While it exists, the operators of this thread are not recorded.
struct Unrecorded {
  c10::impl::ExcludeDispatchKeyGuard off{kCaptureKey};
};

}  // namespace gt
