// Compiles all C++ code of the package as one unit, because each file needs the same
// headers, which take most of the compile time.
#define GOTORCH_TOGETHER
#include "program.hpp"

#include <dlfcn.h>

#include <mutex>

#include "symbols.cpp"
#include "values.cpp"
#include "build.cpp"
#include "run.cpp"
#include "stub.cpp"
#include "call.cpp"
#include "record.cpp"
#include "register.cpp"
