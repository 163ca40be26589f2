package functorch

import (
	// Imported so that `go mod vendor` copies this directory, which contains a C++
	// header.
	_ "github.com/gotorch/gotorch/cgotorch/functorch/nlohmann"
	// Package pkgconfig checks the tools of the build. The other files of this package
	// are not compiled without cgo, so this one must import it.
	_ "github.com/gotorch/gotorch/cgotorch/pkgconfig"
)
