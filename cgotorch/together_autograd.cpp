// Compiles the files of the package that use autograd as one unit; see together.cpp.
#define GOTORCH_TOGETHER
#include "autograd.cpp"
#include "function.cpp"
#include "hooks.cpp"
#include "modes.cpp"
#include "pool.cpp"
#include "stack.cpp"
