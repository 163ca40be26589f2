// See README.md.
#pragma once

#include <exception>
#include <string>

namespace gloo::transport {
// A connection. It is only looked at: what it is derived to be says the type's name.
class Pair {
 public:
  virtual ~Pair() = 0;
};

namespace tcp {
// Begins with the one above.
class Pair {
 public:
  std::exception_ptr signalExceptionExternal(const std::string& message);
  bool isConnected();  // a virtual one there, called by its name here
};
}  // namespace tcp
}  // namespace gloo::transport
