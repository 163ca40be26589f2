package cgotorch

import (
	"slices"
	"strings"
)

// lostBy are CUDA's errors after which a process cannot use the device any more: every
// later call ends in the same error.
var lostBy = []string{
	"cudaErrorLaunchFailure", "cudaErrorIllegalAddress", "cudaErrorLaunchTimeout", "cudaErrorAssert",
	"cudaErrorHardwareStackError", "cudaErrorIllegalInstruction", "cudaErrorMisalignedAddress",
	"cudaErrorInvalidAddressSpace", "cudaErrorInvalidPc", "cudaErrorECCUncorrectable",
}

// sayCUDA shortens what libtorch says of an error of CUDA to one line, with CUDA's name
// for it. Other messages stay as they are. Trace has the whole text.
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
		text += ": the device is lost to this process, which goes on without it; an operator before this one may be the cause"
	}
	return text
}
