// Decides for which libraries the team runs parallel regions.
#pragma once

#include "openmp.h"

namespace gt::team {

// Records the program and the libraries that it is linked with. They are loaded now and are never
// closed.
void know_objects();

// Whether the team runs regions whose code is fn. It does if it defines all OpenMP
// functions that fn's library imports. The functions that the team lacks, such as the
// task functions, know only libgomp's regions. So libgomp must run all regions of a
// library that imports one of them.
bool is_ours(gt_share* fn);

// Call these before a fork, and after it in the parent and in the child.
void before_fork();
void after_fork();

}  // namespace gt::team
