// See README.md.
#pragma once

#include <exception>
#include <string>

namespace gloo::transport {
// A connection. Declared only so that dynamic_cast can find its derived class.
class Pair {
 public:
  virtual ~Pair() = 0;
};

namespace tcp {
// Gloo's class for a TCP connection, which is derived from transport::Pair.
class Pair {
 public:
  std::exception_ptr signalExceptionExternal(const std::string& message);
  bool isConnected();  // virtual in Gloo, but not called through the vtable here
};
}  // namespace tcp
}  // namespace gloo::transport
