// Decides for which libraries the team runs parallel regions.
#pragma once

#include "openmp.h"

namespace gt::team {

// Records the libraries loaded now, which are never closed: the program and the libraries that it
// is linked with.
void know_objects();

// Whether the team runs regions whose code is fn. It does if the team defines all OpenMP
// functions that fn's library imports. Functions of libgomp that the team lacks, such as tasks,
// only know libgomp's regions. So a library that imports them must use libgomp's regions too.
bool is_ours(gt_share* fn);

// Called around a fork, in the parent and in the child.
void before_fork();
void after_fork();

}  // namespace gt::team
