package cgotorch

import (
	"slices"
	"strings"
)

// lostBy lists the CUDA errors after which a process can no longer use the device: all
// later calls return the same error.
var lostBy = []string{
	"cudaErrorLaunchFailure", "cudaErrorIllegalAddress", "cudaErrorLaunchTimeout", "cudaErrorAssert",
	"cudaErrorHardwareStackError", "cudaErrorIllegalInstruction", "cudaErrorMisalignedAddress",
	"cudaErrorInvalidAddressSpace", "cudaErrorInvalidPc", "cudaErrorECCUncorrectable",
}

// sayCUDA shortens libtorch's message about a CUDA error to one line that contains CUDA's
// name for the error. It returns other messages unchanged. Trace returns the whole text.
func sayCUDA(message string) string {
	const start, search = "CUDA error: ", "Search for `"
	if !strings.HasPrefix(message, start) {
		return message
	}
	text, rest, _ := strings.Cut(message, "\n")
	_, name, found := strings.Cut(rest, search)
	name, _, closed := strings.Cut(name, "'")
	if !found || !closed {
		return message
	}
	text += " (" + name + ")"
	if slices.Contains(lostBy, name) {
		text += ": the device is lost to this process, which goes on without it; an operator before this one may be " +
			"the cause"
	}
	return text
}
