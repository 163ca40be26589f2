// Queues the numbers of Go objects that C++ no longer needs.
//
// A tensor's deleter, a hook or an autograd node may be destroyed on any thread,
// inside any operator, while libtorch holds locks. Go cannot be called from there.
// So this queues the object's number, and Go reads the queue from time to time.
#pragma once

#include <cstdint>

namespace gt {
void push_released(int64_t id) noexcept;
}
