//go:build linux

package team

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -Wall
#cgo LDFLAGS: -ldl -lstdc++

#include <stdlib.h>
#include "team.h"
*/
import "C"

import (
	"sync"
	"unsafe"
)

// Active reports whether the team runs all parallel regions of libtorch. It is false if
// GOTORCH_OPENMP is "system", if OpenMP binds threads to CPUs, if an OpenMP runtime was
// already loaded, or if libtorch's BLAS calls libgomp itself.
var Active = sync.OnceValue(func() bool { return bool(C.gt_team_active()) })

// cgroupCPUs returns how many CPUs the process's control group may use, or 0 if it has no
// limit. root is the directory that contains /proc and /sys.
func cgroupCPUs(root string) int {
	s := C.CString(root)
	defer C.free(unsafe.Pointer(s))
	return int(C.gt_team_cgroup_cpus(s))
}
