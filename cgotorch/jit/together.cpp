// Compiles all C++ code of the package as one unit, because each file needs the same
// headers, which take most of the compile time.
#define GOTORCH_TOGETHER
#include "values.hpp"
#include "errors.hpp"
#include "held.hpp"

#include "archive.cpp"
#include "module.cpp"
#include "run.cpp"
#include "trace.cpp"
