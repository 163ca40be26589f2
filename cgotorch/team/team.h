// Go's interface to the team of threads.
#ifndef GOTORCH_TEAM_H
#define GOTORCH_TEAM_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

bool gt_team_active(void);
// Whether the team's OpenMP functions are called for libtorch's regions, even if the team
// lets libgomp run the regions.
bool gt_team_sees_regions(void);
// Returns the number of CPUs that a control group allows, or 0 for no limit; see
// settings.hpp.
int gt_team_cgroup_cpus(const char* root);

#ifdef __cplusplus
}
#endif
#endif
