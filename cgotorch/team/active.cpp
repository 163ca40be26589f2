//go:build linux

#include "team.h"

#include "region.hpp"
#include "settings.hpp"

#include <link.h>

#include <cstring>

namespace at {
bool in_parallel_region();  // ATen/Parallel.h
}

using namespace gt::team;

namespace {

// Whether libtorch calls the team's OpenMP functions, not libgomp's. To find out, sets a
// state that only the team's functions report, and checks that libtorch sees it.
bool libtorch_asks_us() {
  const Self before = self;
  self.parallel = true;
  const bool asked = at::in_parallel_region();
  self = before;
  return asked;
}

// Whether libtorch's BLAS calls libgomp to find out if it is in a parallel region, as NVPL
// does on arm64.
bool blas_uses_libgomp() {
  return dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) { return std::strstr(info->dlpi_name, "/libnvpl_blas_") ? 1 : 0; },
      nullptr);
}

}  // namespace

extern "C" {

bool gt_team_active(void) { return settings().on && libtorch_asks_us() && !blas_uses_libgomp(); }

bool gt_team_sees_regions(void) { return libtorch_asks_us(); }

int gt_team_cgroup_cpus(const char* root) { return cgroup_cpus(root); }

}  // extern "C"
