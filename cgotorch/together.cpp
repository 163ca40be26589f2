// One file to the compiler: libtorch's headers take it longer than all that the files
// below say, and there is no other way to read them once. Each is empty by
// itself.
#define GOTORCH_TOGETHER
#include "tensor.cpp"
#include "index.cpp"
#include "runtime.cpp"
#include "generators.cpp"
#include "warnings.cpp"
#include "layout.cpp"
#include "released.cpp"
#include "sequence.cpp"
#include "switches.cpp"
