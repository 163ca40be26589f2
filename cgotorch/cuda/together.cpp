// All files of the package, compiled together, because parsing libtorch's headers takes longer than
// the code of this package, and there is no other way to read them only once. Each file is empty by
// itself.
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
