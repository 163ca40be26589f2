// Included before the first line of every C and C++ file of the cgo packages, so that a
// missing or unsupported libtorch causes one readable line instead of a page of missing
// headers. The #line before each #error names no real file, so that the compiler has no
// source line to repeat.
#if !__has_include(<ATen/core/Tensor.h>)
#line 1 "libtorch"
#error gotorch needs libtorch 2.11.0 or newer and found none: run scripts/install_libtorch.sh, and set PKG_CONFIG_PATH to the value that it prints
#elif !__has_include(<torch/headeronly/version.h>)
#line 1 "libtorch"
#error gotorch needs libtorch 2.11.0 or newer and found an older one: run scripts/install_libtorch.sh, and set PKG_CONFIG_PATH to the value that it prints
#else
#include <torch/headeronly/version.h>
#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 11)
#line 1 "libtorch"
#error gotorch needs libtorch 2.11.0 or newer and found an older one: run scripts/install_libtorch.sh, and set PKG_CONFIG_PATH to the value that it prints
#endif
#endif
