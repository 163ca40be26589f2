// Handles libtorch's warnings. libtorch's own handler prints every warning on every call,
// with a timestamp, so a loop would bury the program's other output. Each thread has its
// own handler, so every thread sets this one when it first calls enter; see abi.hpp.
#ifdef GOTORCH_TOGETHER  // together.cpp includes this file

#include "warnings.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <unordered_set>

#include "abi.hpp"

namespace {

// A warning may contain numbers, so a loop may print many different texts. The handler
// remembers the texts that it has shown. Once it remembers this many, it forgets them
// all.
constexpr size_t kRemembered = 1000;

class Handler final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& w) override {
    const auto& at = w.source_location();
    show(w.msg(), std::string(" (") + at.file + ":" + std::to_string(at.line) + ")");
  }

  void show(const std::string& text, const std::string& where) {
    const int m = mode.load(std::memory_order_relaxed);
    if (m == GT_WARNINGS_NEVER) return;
    if (m == GT_WARNINGS_ONCE) {
      std::lock_guard g(mu_);
      if (shown_.size() >= kRemembered) shown_.clear();
      if (!shown_.insert(text).second) return;
    }
    // A single write, so that lines from several threads do not mix.
    const std::string line = "torch: warning: " + text + where + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
  }

  std::atomic<int> mode{GT_WARNINGS_ONCE};

 private:
  std::mutex mu_;
  std::unordered_set<std::string> shown_;
};

Handler& handler() {
  static auto* h = new Handler;  // never destroyed: threads may outlive static objects
  return *h;
}

const bool installed = [] {
  gt::warning_handler.store(&handler());
  return true;
}();

}  // namespace

int gt_set_warnings(int mode) { return handler().mode.exchange(mode); }

void gt_warn(const char* text, size_t n) {
  try {
    handler().show(std::string(text, n), "");
  } catch (...) {  // Without memory for the text, drop the warning and continue.
  }
}

#endif
