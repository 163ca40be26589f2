package mem

import (
	// Checks the tools of the build. It must be imported here too, because this is the only
	// file that is compiled without cgo.
	_ "github.com/gotorch/gotorch/cgotorch/pkgconfig"
)
