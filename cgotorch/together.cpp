// Compiles all files of the package that do not use autograd as one unit, so that
// libtorch's headers, which take longer than the files themselves, are parsed only once.
// Outside this unit, the files are empty.
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
