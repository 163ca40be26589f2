// Compiles all files of the package as one unit, so that libtorch's headers, which take
// longer than the package's own code, are parsed only once. Outside this unit, the files
// are empty.
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
