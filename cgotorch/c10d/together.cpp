// Compiles the files below as one unit, because all need the same libtorch headers, which
// are slow to compile; see docs/architecture.md.
#define GOTORCH_TOGETHER
#include "group.cpp"
#include "nccl.cpp"
#include "store.cpp"
#include "reducer.cpp"
