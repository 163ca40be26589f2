package team

import (
	// Compiled first, and it says what a build lacks. This file is there without cgo
	// too, when all others are left out.
	_ "github.com/gotorch/gotorch/cgotorch/pkgconfig"
)
