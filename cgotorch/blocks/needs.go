package blocks

import (
	// Package pkgconfig checks the tools of the build. The other files of this package
	// are not compiled without cgo, so this one must import it.
	_ "github.com/gotorch/gotorch/cgotorch/pkgconfig"
)
