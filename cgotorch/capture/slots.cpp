#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "slots.hpp"

#include "record.hpp"

#include <torch/library.h>

#include <array>
#include <atomic>
#include <mutex>

namespace gt::capture {

namespace {

std::array<std::atomic<Recorder*>, kRecordings + 1> recordings{};  // 0 is no recording
std::mutex mutex;
bool number_taken[kRecordings + 1] = {true};

Recorder& current() {
  Recorder* r =
      tl_capture && tl_capture <= kRecordings ? recordings[tl_capture].load(std::memory_order_acquire) : nullptr;
  TORCH_CHECK(r, "a step is captured on a thread that does not take part in it");
  return *r;
}

void recorded(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  current().call(op, keys, stack);
}

// Static, because it writes to the table of every operator and must run before there are
// other threads.
[[maybe_unused]] const bool installed = [] {
  auto* library = new torch::Library(torch::Library::IMPL, "_", kCaptureKey, __FILE__, __LINE__);  // never freed
  library->fallback(torch::CppFunction::makeFromBoxedFunction<&recorded>());
  add_host_step.store([](std::shared_ptr<HostStep> step) { current().host(std::move(step)); });
  spoil_capture.store([](const char* what) { current().spoil(what); });
  watch_values.store([](const at::Tensor& t) { current().looked(t); });
  watch_gradient.store([](const at::Tensor& leaf, Gradient what) { current().gradient(leaf, what); });
  return true;
}();

}  // namespace

uint32_t take_number() {
  std::lock_guard<std::mutex> lock(mutex);
  for (uint32_t i = 1; i <= kRecordings; i++) {
    if (!std::exchange(number_taken[i], true)) return i;
  }
  return 0;
}

void give_back(uint32_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!number) return;
  enter(number, nullptr);
  number_taken[number] = false;
}

void enter(uint32_t number, Recorder* r) { recordings[number].store(r, std::memory_order_release); }

}  // namespace gt::capture

#endif
