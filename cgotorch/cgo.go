// Package cgotorch is the hand-written half of the C++ shim over libtorch: handles,
// errors, autograd, generators, memory. The generated half, package cgotorch/aten,
// contains the operators. Only packages in this directory import "C".
//
// The functions are thin: they take and return raw handles, and return errors as an
// abi.Status. Package torch builds the public Go API on them. abi.h contains the rules
// for all functions: who owns a pointer, which threads may call a function, and how it
// returns errors.
package cgotorch

// These flags say how cgo compiles and links this package.

/*
#cgo pkg-config: --short-errors pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
*/
import "C"

import (
	// replaces OpenMP for libtorch's parallel regions
	_ "github.com/gotorch/gotorch/cgotorch/team"
)
