package functorch

import (
	// A folder of a C++ header, which `go mod vendor` copies for this import alone.
	_ "github.com/gotorch/gotorch/cgotorch/functorch/nlohmann"
	// Compiled first, and it says what a build lacks. This file is there without cgo
	// too, when all others are left out.
	_ "github.com/gotorch/gotorch/cgotorch/pkgconfig"
)
