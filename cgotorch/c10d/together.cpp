// Compiles the files below as one unit, because all need the same slow headers of libtorch; see
// docs/architecture.md.
#define GOTORCH_TOGETHER
#include "group.cpp"
#include "nccl.cpp"
#include "store.cpp"
#include "reducer.cpp"
