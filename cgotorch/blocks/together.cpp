// Compiles all C++ code of the package as one unit, because each file needs the same
// headers, which take most of the compile time.
#define GOTORCH_TOGETHER
#include "blocks.h"

#include "abi.hpp"
#include "parallel.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linear.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "formats.hpp"

#include "dot.cpp"
#include "linear.cpp"
#include "attend.cpp"
#include "operators.cpp"
