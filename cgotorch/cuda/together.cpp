// Compiles all files of the package as one unit, because parsing libtorch's headers takes longer
// than compiling the package's own code, and this reads them only once. By itself, each of the
// files is empty.
#define GOTORCH_TOGETHER
#include "load.cpp"
#include "settings.cpp"
#include "allocator.cpp"
#include "history.cpp"
#include "stats.cpp"
#include "stream.cpp"
#include "device.cpp"
#include "graph.cpp"
#include "watch.cpp"
