// Records kernels and copies on CUDA devices. CUPTI, NVIDIA's library, reports them to
// Kineto, which is a part of libtorch. Kineto records nothing else here: profiler.cpp
// records operators. A kernel launch belongs to the operator that its thread was running.
#include "kineto.hpp"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <dlfcn.h>
#include <time.h>

#include <exception>
#include <functional>
#include <future>
#include <optional>
#include <thread>

#include "record.hpp"

#if __has_include(<kineto/ActivityType.h>) && __has_include(<torch/csrc/autograd/profiler_kineto.h>)
#define USE_KINETO
#include <kineto/ActivityType.h>
#include <kineto/libkineto.h>
#include <torch/csrc/autograd/profiler_kineto.h>
#define GT_HAS_KINETO
#endif

namespace gt::prof {

namespace {

// Returns wall-clock time, which Kineto uses, minus the time of gt_prof_clock.
int64_t clock_offset() {
  int64_t best = 0, shortest = 0;
  for (int i = 0; i < 5; i++) {  // of five readings, the shortest is the most precise
    const int64_t from = now();
    timespec t{};
    clock_gettime(CLOCK_REALTIME, &t);
    const int64_t to = now();
    if (i == 0 || to - from < shortest) {
      shortest = to - from;
      best = int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec - (from + to) / 2;
    }
  }
  return best;
}

// Asks CUPTI once whether it can record, and returns the reason if it cannot. In that
// case, Kineto would write to standard error and record nothing. Only the first answer
// counts, because Kineto subscribes to CUPTI.
const std::string& refusal() {
  static const std::string why = []() -> std::string {
    using Subscribe = int (*)(void**, void (*)(void*, int, uint32_t, const void*), void*);
    using Unsubscribe = int (*)(void*);
    using Text = int (*)(int, const char**);
    const auto subscribe = reinterpret_cast<Subscribe>(dlsym(RTLD_DEFAULT, "cuptiSubscribe"));
    const auto unsubscribe = reinterpret_cast<Unsubscribe>(dlsym(RTLD_DEFAULT, "cuptiUnsubscribe"));
    if (!subscribe || !unsubscribe) return "this libtorch comes without CUPTI";
    void* it = nullptr;
    const int code = subscribe(&it, [](void*, int, uint32_t, const void*) {}, nullptr);
    if (!code) {
      unsubscribe(it);
      return "";
    }
    const char* text = nullptr;
    if (const auto name = reinterpret_cast<Text>(dlsym(RTLD_DEFAULT, "cuptiGetResultString"))) name(code, &text);
    return std::string("CUPTI does not record here: ") + (text ? text : "error") + " (" + std::to_string(code) + ")";
  }();
  return why;
}

// Waits until the devices that the process uses have finished their work. Returns whether the
// process uses any device.
bool synchronize() {
  const auto* impl = c10::impl::device_guard_impl_registry[size_t(c10::DeviceType::CUDA)].load();
  bool any = false;
  if (!impl) return any;
  for (c10::DeviceIndex i = 0; i < impl->deviceCount(); i++) {
    if (!at::detail::getCUDAHooks().hasPrimaryContext(i)) continue;
    impl->synchronizeDevice(i);
    any = true;
  }
  return any;
}

}  // namespace

#ifdef GT_HAS_KINETO

namespace {

namespace profiler = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;

int kind(uint8_t activity) {
  switch (libkineto::ActivityType(activity)) {
    case libkineto::ActivityType::CONCURRENT_KERNEL:
      return GT_PROF_KERNEL;
    case libkineto::ActivityType::GPU_MEMCPY:
      return GT_PROF_MEMCPY;
    case libkineto::ActivityType::GPU_MEMSET:
      return GT_PROF_MEMSET;
    case libkineto::ActivityType::CUDA_RUNTIME:
      return GT_PROF_RUNTIME;
    case libkineto::ActivityType::CUDA_DRIVER:
      return GT_PROF_DRIVER;
    case libkineto::ActivityType::OVERHEAD:
      return GT_PROF_OVERHEAD;
    default:
      return 0;
  }
}

DeviceEvents read(const profiler::ProfilerResult& r, int64_t offset) {
  DeviceEvents out;
  for (const auto& e : r.events()) {
    const int k = kind(e.activityType());
    if (!k || e.isHiddenEvent()) continue;
    const bool on_device = e.deviceType() == c10::DeviceType::CUDA;
    out.events.push_back({int64_t(e.startNs()) - offset, int64_t(e.endNs()) - offset, int64_t(e.correlationId()),
                          e.deviceResourceId(), on_device ? e.deviceIndex() : -1, k});
    out.texts.append(e.name().c_str()).push_back('\0');
    out.texts.append(e.metadataJson().c_str()).push_back('\0');
  }
  return out;
}

// libtorch registers its client with Kineto when it is loaded. If another thread then initializes
// Kineto, Kineto writes an error to standard error. So this registers the client again, on this
// thread. It looks up functions that are not part of libtorch's interface.
void take_client() {
  using Register = void (*)(libkineto::LibkinetoApi*, libkineto::ClientInterface*);
  const auto api = reinterpret_cast<libkineto::LibkinetoApi& (*)()>(dlsym(RTLD_DEFAULT, "_ZN9libkineto3apiEv"));
  const auto reg = reinterpret_cast<Register>(
      dlsym(RTLD_DEFAULT, "_ZN9libkineto12LibkinetoApi14registerClientEPNS_15ClientInterfaceE"));
  if (api && reg && !api().isProfilerInitialized() && api().client()) reg(&api(), api().client());
}

// A thread that starts and stops Kineto. Both must happen on one thread, but goroutines
// move between threads.
class Recorder {
 public:
  Recorder() {
    std::promise<void> started;
    auto ok = started.get_future();
    std::promise<DeviceEvents> done;
    result_ = done.get_future();
    thread_ = std::thread([this, &started, done = std::move(done)]() mutable { work(started, done); });
    try {
      ok.get();
    } catch (...) {
      thread_.join();
      throw;
    }
  }
  ~Recorder() {
    if (!thread_.joinable()) return;
    stop_.set_value();
    thread_.join();
  }
  DeviceEvents stop() {
    stop_.set_value();
    thread_.join();
    return result_.get();
  }

 private:
  void work(std::promise<void>& started, std::promise<DeviceEvents>& done) {
    int64_t offset = 0;
    auto stop = stop_.get_future();
    try {
      const std::set<ActivityType> activities{ActivityType::CUDA};
      torch::profiler::impl::ExperimentalConfig extra;
      extra.expose_kineto_event_metadata = true;
      const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO, false, false,
                                                         false, false, false, extra);
      take_client();
      profiler::prepareProfiler(config, activities);
      profiler::enableProfiler(config, activities);
      offset = clock_offset();
    } catch (...) {
      started.set_exception(std::current_exception());
      return;
    }
    started.set_value();
    stop.wait();
    try {
      const auto r = profiler::disableProfiler();
      done.set_value(r ? read(*r, offset) : DeviceEvents{});
    } catch (...) {
      done.set_exception(std::current_exception());
    }
  }

  std::promise<void> stop_;
  std::future<DeviceEvents> result_;
  std::thread thread_;
};

std::optional<Recorder>& recorder() {
  static auto* r = new std::optional<Recorder>;
  return *r;
}

}  // namespace

void kineto_start() {
  TORCH_CHECK(refusal().empty(), refusal());
  recorder().emplace();
}

DeviceEvents kineto_stop() {
  if (!recorder()) return {};
  struct Reset {
    ~Reset() { recorder().reset(); }
  } reset;
  const bool used = synchronize();
  DeviceEvents out = recorder()->stop();
  out.silent = used && out.events.empty();
  return out;
}

#else

void kineto_start() { TORCH_CHECK(false, "this libtorch comes without Kineto"); }
DeviceEvents kineto_stop() { return {}; }

#endif

}  // namespace gt::prof
