package cuda

import (
	// Imported so that `go mod vendor` copies this directory of C headers.
	_ "github.com/gotorch/gotorch/cgotorch/cuda/headers"
	// Package pkgconfig checks the tools of the build. The other files of this package
	// are not compiled without cgo, so this one must import it.
	_ "github.com/gotorch/gotorch/cgotorch/pkgconfig"
)
