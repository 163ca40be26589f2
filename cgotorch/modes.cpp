#ifdef GOTORCH_TOGETHER  // together_autograd.cpp includes this file

#include "modes.h"

#include "abi.hpp"
#include "capturing.hpp"
#include "modes.hpp"
#include "modes_thread.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

// Declared here because ATen/autocast_mode.h would include the declarations of all operators.
namespace at::autocast {
TORCH_API bool is_autocast_enabled(at::DeviceType device_type);
TORCH_API void set_autocast_enabled(at::DeviceType device_type, bool enabled);
TORCH_API at::ScalarType get_autocast_dtype(at::DeviceType device_type);
TORCH_API void set_autocast_dtype(at::DeviceType device_type, at::ScalarType dtype);
TORCH_API bool is_autocast_cache_enabled();
TORCH_API void set_autocast_cache_enabled(bool enabled);
TORCH_API void clear_cache();
}  // namespace at::autocast

namespace {

namespace autocast = at::autocast;

constexpr uint32_t kMaxRows = 1u << GT_CTX_MODES_BITS;
constexpr uint32_t kChunk = 256;

static_assert(sizeof(gt_modes) == 16 + GT_MODES_STREAMS * sizeof(gt_mode_stream), "rows are compared by their bytes");

// The table of rows. Reading a row needs no lock: a row never moves, and its number is published
// only after the row is written.
class Table {
 public:
  Table() { intern(gt_modes{}); }

  const gt_modes& row(uint32_t number) const {
    return chunks_[number / kChunk].load(std::memory_order_acquire)[number % kChunk];
  }

  uint32_t size() const { return size_.load(std::memory_order_acquire); }

  uint32_t intern(const gt_modes& modes) {
    const std::string key(reinterpret_cast<const char*>(&modes), sizeof modes);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = numbers_.find(key);
    if (found != numbers_.end()) return found->second;
    const uint32_t number = size_.load(std::memory_order_relaxed);
    TORCH_CHECK_VALUE(number < kMaxRows, "the program has used ", kMaxRows,
                      " combinations of autocast, CUDA devices, streams and pools, and there is room for no other");
    auto& chunk = chunks_[number / kChunk];
    if (!chunk.load(std::memory_order_relaxed)) chunk.store(new gt_modes[kChunk]{}, std::memory_order_release);
    numbers_.emplace(key, number);
    chunk.load(std::memory_order_relaxed)[number % kChunk] = modes;
    size_.store(number + 1, std::memory_order_release);
    return number;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::atomic<gt_modes*> chunks_[kMaxRows / kChunk] = {};
  std::atomic<uint32_t> size_{0};
};

Table& table() {
  static auto* t = new Table;  // never destroyed: threads may outlive static objects
  return *t;
}

// The modes that gotorch last set on the calling thread. Only note changes them.
thread_local gt_modes tl_modes{};

void note(const gt_modes& m) {
  tl_modes = m;
  gt::tl_autocast = m.autocast_cpu || m.autocast_cuda;
}

struct AutocastColumns {
  at::DeviceType type;
  uint8_t gt_modes::* on;
  uint8_t gt_modes::* dtype;
  at::ScalarType fresh;  // the dtype on a new thread
};
constexpr AutocastColumns kAutocast[] = {
    {at::DeviceType::CPU, &gt_modes::autocast_cpu, &gt_modes::dtype_cpu, at::ScalarType::BFloat16},
    {at::DeviceType::CUDA, &gt_modes::autocast_cuda, &gt_modes::dtype_cuda, at::ScalarType::Half},
};

int64_t stream_of(const gt_modes& modes, int64_t device) {
  for (int i = 0; i < modes.n_streams; i++)
    if (modes.streams[i].device == device) return modes.streams[i].id;
  return 0;
}

void set_streams(const gt::DeviceModes& cuda, const gt_modes& want) {
  const gt_modes had = tl_modes;
  for (int i = 0; i < had.n_streams; i++) {
    const int64_t device = had.streams[i].device;
    if (!stream_of(want, device)) cuda.set_stream(static_cast<int>(device), 0);
  }
  for (int i = 0; i < want.n_streams; i++) {
    const auto& s = want.streams[i];
    if (s.id != stream_of(had, s.device)) cuda.set_stream(static_cast<int>(s.device), s.id);
  }
}

// Changes the thread's modes from tl_modes to want. If it throws, some modes have already changed,
// and tl_modes may lack the last of these changes.
void change(const gt_modes& want) {
  gt_modes& have = tl_modes;
  for (const auto& c : kAutocast) {
    if (have.*c.on != want.*c.on) autocast::set_autocast_enabled(c.type, want.*c.on);
    if (have.*c.dtype != want.*c.dtype)
      autocast::set_autocast_dtype(c.type, want.*c.dtype ? static_cast<at::ScalarType>(want.*c.dtype - 1) : c.fresh);
    have.*c.on = want.*c.on;
    have.*c.dtype = want.*c.dtype;
  }
  if (have.no_cache != want.no_cache) autocast::set_autocast_cache_enabled(!want.no_cache);
  have.no_cache = want.no_cache;
  if (have.capture != want.capture) gt::take_part(want.capture);
  have.capture = want.capture;
  if (const gt::DeviceModes* cuda = gt::device_modes.load(std::memory_order_acquire)) {
    if (have.n_streams || want.n_streams) set_streams(*cuda, want);
    if (have.device != want.device) cuda->set_device(want.device);
    if (have.pool != want.pool) cuda->set_pool(want.pool);
  }
  note(want);
}

const bool installed = [] {
  gt::apply_modes.store([](uint32_t number, bool stale) {
    if (stale) note(gt::thread_modes());
    change(table().row(number));
  });
  return true;
}();

}  // namespace

namespace gt {

gt_modes thread_modes() {
  gt_modes m{};
  for (const auto& c : kAutocast) {
    m.*c.on = autocast::is_autocast_enabled(c.type);
    const at::ScalarType dtype = autocast::get_autocast_dtype(c.type);
    // If a default dtype was set explicitly, keep it, so that the row stays the same.
    m.*c.dtype = dtype == c.fresh && !(tl_modes.*c.dtype) ? 0 : static_cast<uint8_t>(dtype) + 1;
  }
  m.no_cache = !autocast::is_autocast_cache_enabled();
  m.capture = tl_capture;
  if (const DeviceModes* cuda = device_modes.load(std::memory_order_acquire)) {
    m.device = static_cast<uint8_t>(cuda->device());
    m.pool = cuda->pool();
    const int n = cuda->devices();
    for (int d = 0; d < n; d++) {
      const int64_t id = cuda->stream(d);
      if (!id) continue;
      TORCH_CHECK_VALUE(m.n_streams < GT_MODES_STREAMS, "more than ", int(GT_MODES_STREAMS),
                        " CUDA devices have a current stream that is not the default one");
      m.streams[m.n_streams++] = {id, d};
    }
  }
  return m;
}

namespace {

// Returns the modes that were last set on the calling thread. On threads of the autograd
// engine, autocast's cache is initially on. This turns it off there, because only one
// goroutine at a time may use the cache; see package amp.
const gt_modes& noted() {
  if (!tl_ctx && !tl_modes.no_cache) {
    autocast::set_autocast_cache_enabled(false);
    tl_modes.no_cache = 1;
  }
  return tl_modes;
}

}  // namespace

CallbackModes::CallbackModes() : saved_(noted()), actual_(thread_modes()) {
  row_ = table().intern(actual_);
  note(actual_);
}

void CallbackModes::restore() noexcept {
  try {
    if (tl_ctx & GT_CTX_STALE) note(thread_modes());
    if (std::memcmp(&tl_modes, &actual_, sizeof actual_) != 0) change(actual_);
  } catch (...) {  // Only a failed device throws here, and its later operators report the failure.
  }
  note(saved_);
}

}  // namespace gt

extern "C" {

uintptr_t gt_modes_intern(const gt_modes* modes, uint32_t* out_row) {
  try {
    *out_row = table().intern(*modes);
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

void gt_modes_row(uint32_t row, gt_modes* out) { *out = table().row(row); }

uint32_t gt_modes_rows(void) { return table().size(); }

uintptr_t gt_autocast_clear_cache(void) {
  try {
    autocast::clear_cache();
    return 0;
  } catch (...) {
    return gt::caught();
  }
}

}  // extern "C"

#endif
