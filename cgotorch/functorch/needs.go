package functorch

import (
	// Imported so that `go mod vendor` copies this folder with a C++ header.
	_ "github.com/gotorch/gotorch/cgotorch/functorch/nlohmann"
	// Checks the tools of the build. It must be imported here too, because this is the only
	// file that is compiled without cgo.
	_ "github.com/gotorch/gotorch/cgotorch/pkgconfig"
)
