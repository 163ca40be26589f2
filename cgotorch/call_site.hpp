// The stack of a call to Backward, which the autograd engine passes to its threads.
//
// The context word of a thread contains the stack of its call into C++. CUDA nodes run on
// the engine's own threads, which do not have that word but get the calling thread's
// ThreadLocalDebugInfo.
#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

namespace gt::history {

inline constexpr std::string_view kCallSiteName = "gotorch: call of Backward";

// Versions of libtorch after 2.11 have slots for other uses. In older versions this uses
// a slot that libtorch declares but does not use.
template <class Kind = c10::DebugInfoKind>
Kind call_site_slot() {
  if constexpr (std::is_enum_v<Kind>) {
    return Kind::INFERENCE_CONTEXT;
  } else {
    return Kind(&kCallSiteName);
  }
}

struct CallSite final : c10::DebugInfoBase {
  explicit CallSite(uint32_t s) : stack(s) {}
  uint32_t stack;
};

// While it exists, each backward pass that this thread starts passes the stack to all
// threads of the pass. Stack 0 means that there is no stack, so nothing is passed.
class CallSiteGuard {
 public:
  explicit CallSiteGuard(uint32_t stack) {
    if (stack) guard_.emplace(call_site_slot(), std::make_shared<CallSite>(stack));
  }

 private:
  std::optional<c10::DebugInfoGuard> guard_;
};

// The stack from which the running backward pass was started.
inline uint32_t call_site() noexcept {
  const auto* s = static_cast<const CallSite*>(c10::ThreadLocalDebugInfo::get(call_site_slot()));
  return s ? s->stack : 0;
}

}  // namespace gt::history
