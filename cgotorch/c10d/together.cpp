// One compilation unit, because all files need the same headers of libtorch; see
// docs/architecture.md.
#define GOTORCH_TOGETHER
#include "group.cpp"
#include "nccl.cpp"
#include "store.cpp"
#include "reducer.cpp"
