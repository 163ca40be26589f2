// What the shim knows of recordings of steps (capture/capture.h): whether the calling
// thread takes part in one, and how what the dispatcher does not see gets into it.
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

// A key below autograd and above what chooses a device, which libtorch registers nothing
// for (it is for tensors without data of programs in Python). A thread that takes part in
// a recording has it included, and the recorder is its fallback.
constexpr auto kCaptureKey = c10::DispatchKey::Fake;

// The number of the recording that the calling thread takes part in, 0 for none.
inline thread_local uint32_t tl_capture = 0;

inline void take_part(uint32_t number) {
  tl_capture = number;
  c10::impl::tls_set_dispatch_key_included(kCaptureKey, number != 0);
}

// Tells the recording of the calling thread what it could not repeat. Set once, by the package
// that records. It throws, or the recording is given up and the step goes on.
inline std::atomic<void (*)(const char* what)> spoil_capture{nullptr};

// Refuses what a replay could not repeat.
inline void not_in_capture(const char* what) {
  if (tl_capture) spoil_capture.load()(what);
}

// What a step does with the gradient that a leaf has: looks at it, adds to it or sets it, also to none.
enum class Gradient { read, added, set };

// Tells the recording, which sees the operators alone. The leaf need be no operator's argument.
inline std::atomic<void (*)(const at::Tensor& leaf, Gradient what)> watch_gradient{nullptr};

inline void gradient_is(Gradient what, const at::Tensor& leaf) {
  if (tl_capture) watch_gradient.load()(leaf, what);
}

// Tells it that values are looked at before an operator which bad ones would end the process in: a replay would not look.
inline std::atomic<void (*)(const at::Tensor& t)> watch_values{nullptr};

// The hooks that a leaf has, in numbers that are others once one is added or removed.
std::vector<int64_t> hooks_of(const at::Tensor& leaf);

// A part of a step that the recorder does not look into: each replay runs it anew.
class HostStep {
 public:
  virtual ~HostStep() = default;
  virtual const char* name() const = 0;
  virtual void run() = 0;

  std::vector<at::Tensor> params;  // whose gradients it reads: leaves
  std::vector<at::Tensor> grads;   // of each of them, as run is to find it; undefined where there is none
  std::vector<at::Tensor> reads, writes;
};

// Adds to the recording of the calling thread. Set once, by the package that records.
inline std::atomic<void (*)(std::shared_ptr<HostStep>)> add_host_step{nullptr};

// Runs what is not to be recorded by itself, on a thread that takes part.
struct Unrecorded {
  c10::impl::ExcludeDispatchKeyGuard off{kCaptureKey};
};

}  // namespace gt
