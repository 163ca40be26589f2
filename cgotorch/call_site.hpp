// The stack of a call of Backward, where the engine carries it.
//
// A crossing's stack lies in the context word of its thread. Nodes of CUDA run on
// threads of the engine's, which know nothing of that; what they do get is the
// calling thread's ThreadLocalDebugInfo.
#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

namespace gt::history {

inline constexpr std::string_view kCallSiteName = "gotorch: call of Backward";

// A slot of its own where libtorch has such (after 2.11), else one of its list
// that it uses for nothing.
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

// Hands the stack to all threads that a backward pass begun in this scope uses.
// Does nothing for stack 0, which is none.
class CallSiteGuard {
 public:
  explicit CallSiteGuard(uint32_t stack) {
    if (stack) guard_.emplace(call_site_slot(), std::make_shared<CallSite>(stack));
  }

 private:
  std::optional<c10::DebugInfoGuard> guard_;
};

// The stack that the running backward pass was begun with.
inline uint32_t call_site() noexcept {
  const auto* s = static_cast<const CallSite*>(c10::ThreadLocalDebugInfo::get(call_site_slot()));
  return s ? s->stack : 0;
}

}  // namespace gt::history
