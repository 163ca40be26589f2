//go:build linux

// Command shared is built as a C library. The fork tests load it into other processes.
package main

/*
#cgo CXXFLAGS: -O1 -fopenmp
long shared_sum(long n, int threads);
*/
import "C"

import "github.com/gotorch/gotorch/cgotorch/team"

// SharedActive reports whether the team runs libtorch's regions.
//
//export SharedActive
func SharedActive() bool { return team.Active() }

func main() { C.shared_sum(0, 1) }
