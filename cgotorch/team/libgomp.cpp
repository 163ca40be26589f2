//go:build linux

#include "libgomp.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace gt::team {

void* libgomp_symbol(const char* name) {
  void* symbol = dlsym(RTLD_NEXT, name);
  if (!symbol) {
    std::fprintf(stderr, "gotorch: libgomp has no %s\n", name);
    std::abort();
  }
  return symbol;
}

}  // namespace gt::team
