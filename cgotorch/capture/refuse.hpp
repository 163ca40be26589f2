#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace gt::capture {

// Fails if a replay cannot repeat the operator. stack contains its arguments.
void refuse(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

}  // namespace gt::capture
