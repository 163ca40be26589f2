// Compiles all files of the package that do not use autograd as one unit, because parsing
// libtorch's headers takes longer than compiling the files, and this reads the headers only once.
// By itself, each of the files is empty.
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
