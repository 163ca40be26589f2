// Compiles all C++ code of the package as one unit, because each file needs the same
// headers, which take most of the compile time.
#define GOTORCH_TOGETHER
#include "kernels.hpp"

#include "nms.cpp"
#include "roi_align.cpp"
#include "roi_pool.cpp"
#include "deform_conv2d.cpp"
#include "library.cpp"
#include "autograd.cpp"
#include "register.cpp"
#include "calls.cpp"
