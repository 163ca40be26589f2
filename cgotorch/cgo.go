// Package cgotorch is the hand-written half of the C++ shim over libtorch:
// handles, errors, autograd, generators, memory. Its sister package
// cgotorch/aten is generated and holds the operators. Nothing outside this
// directory imports "C".
//
// The functions here are thin: raw handles in, raw handles out, errors as an
// abi.Status. Package torch builds the Go API on top of them; programs use
// that one. abi.h states the rules that every function keeps: who owns a
// pointer, which thread may call, how errors travel.
package cgotorch

// The one place that says how this package is compiled and linked.

/*
#cgo pkg-config: --short-errors pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
*/
import "C"

import (
	// libtorch's parallel regions are its.
	_ "github.com/gotorch/gotorch/cgotorch/team"
)
