#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace gt::capture {

// Refuses an operator, whose arguments are on the stack, that no replay could repeat.
void refuse(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

}  // namespace gt::capture
