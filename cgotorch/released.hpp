// Go objects that C++ holds by number, and how they are given back.
//
// A tensor's deleter, a hook or an autograd node may die on any thread, inside any operator, while
// libtorch holds locks. Go cannot be called from there. So this queues the number, and Go reads the
// queue now and then.
#pragma once

#include <cstdint>

namespace gt {
void push_released(int64_t id) noexcept;
}
