// One file to the compiler: libtorch's headers take it longer than all that the files
// below say, and there is no other way to read them once. Each is empty by
// itself.
#define GOTORCH_TOGETHER
#include "autograd.cpp"
#include "function.cpp"
#include "hooks.cpp"
#include "modes.cpp"
#include "pool.cpp"
#include "stack.cpp"
