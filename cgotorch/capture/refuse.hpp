#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace gt::capture {

// Rejects an operator, whose arguments are on the stack, if a replay could not repeat it.
void refuse(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

}  // namespace gt::capture
