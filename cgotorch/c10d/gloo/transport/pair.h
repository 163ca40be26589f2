// See README.md.
#pragma once

#include <exception>
#include <string>

namespace gloo::transport {
// A connection. Only its type is used, to find out its derived class.
class Pair {
 public:
  virtual ~Pair() = 0;
};

namespace tcp {
// Gloo's class for TCP, which is derived from the class above.
class Pair {
 public:
  std::exception_ptr signalExceptionExternal(const std::string& message);
  bool isConnected();  // virtual in Gloo, but called by its name here
};
}  // namespace tcp
}  // namespace gloo::transport
