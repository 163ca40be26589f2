// Go objects that C++ holds by number, and how they are given back.
//
// A tensor's deleter, a hook or an autograd node may die on any thread, inside
// any operator, with locks of libtorch held: no place to call Go from. So the
// number is queued here, and Go collects the queue when it passes by.
#pragma once

#include <cstdint>

namespace gt {
void push_released(int64_t id) noexcept;
}
