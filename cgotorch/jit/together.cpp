// All C++ of the package, compiled together: each file needs the same headers, which take
// longer than what they say.
#define GOTORCH_TOGETHER
#include "values.hpp"
#include "errors.hpp"
#include "held.hpp"

#include "archive.cpp"
#include "module.cpp"
#include "run.cpp"
