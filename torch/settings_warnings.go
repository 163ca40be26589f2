package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
)

// WarningMode selects which of libtorch's warnings are printed to standard
// error.
type WarningMode int

// These are the warning modes. WarnOnce is the default, as in Python.
const (
	WarnOnce   WarningMode = cgotorch.WarningsOnce   // print each text once
	WarnAlways WarningMode = cgotorch.WarningsAlways // print a warning each time
	WarnNever  WarningMode = cgotorch.WarningsNever
)

// SetWarnings sets which warnings are printed, for the whole process, and
// returns the previous mode. It panics with ErrValue for an unknown mode.
// Follows warnings.simplefilter with "default", "always" and "ignore".
func SetWarnings(mode WarningMode) WarningMode {
	if mode < WarnOnce || mode > WarnNever {
		panic(argError("SetWarnings", ErrValue, "mode", fmt.Sprintf("%d is not a WarningMode", mode)))
	}
	return WarningMode(cgotorch.SetWarnings(int(mode)))
}
