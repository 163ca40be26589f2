// One file to the compiler: libtorch's headers take it longer than all that the files
// of this package say, and there is no other way to read them once. Each is empty by
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
