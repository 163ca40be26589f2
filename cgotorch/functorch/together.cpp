// Compiles all files of the package as one unit, so that libtorch's headers, which take
// longer than the package's own code, are parsed only once. Outside this unit, the files
// are empty.
#define GOTORCH_TOGETHER
#include "functorch.cpp"
#include "jvp_rules.cpp"
#include "vmap_rules.cpp"
