// Calls frequent operators with arguments in their C++ types. A boxed call copies its
// arguments, pops them from a stack and checks each type. In a small step that takes a
// tenth of the time.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/DispatchKeySet.h>

#include <memory>
#include <string>
#include <vector>

namespace gt::capture {

class Direct {
 public:
  virtual ~Direct() = default;
  virtual void run(c10::DispatchKeySet keys) = 0;
};

// Returns an unboxed call of the operator with these arguments, or null if it does not
// support them.
std::unique_ptr<Direct> direct(const std::string& name, const std::string& overload,
                               const std::vector<c10::IValue>& args);

// Whether direct knows the operator. If so, the operator writes only to given results and
// does not change their shapes.
bool known(const std::string& name, const std::string& overload);

}  // namespace gt::capture
