// Which libraries' regions the team runs.
#pragma once

#include "openmp.h"

namespace gt::team {

// Notes the libraries that are loaded now, which stay: the program's own and those that it was
// linked with.
void know_objects();

// Whether the team runs regions whose code is fn: whether all that its library imports of
// OpenMP is the team's. What a library gets from libgomp, such as tasks, knows no region but
// libgomp's, so that its regions have to be libgomp's too.
bool is_ours(gt_share* fn);

// Around a fork, in the parent and in the child.
void before_fork();
void after_fork();

}  // namespace gt::team
