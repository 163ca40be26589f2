// All files of the package without autograd, compiled together, because parsing libtorch's headers
// takes longer than the code of this package, and there is no other way to read them only once.
// Each file is empty by itself.
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
