// Package again starts the running program a second time, for tests that need a
// process of their own.
package again

import (
	"os"
	"os/exec"
	"strings"
)

// Emulator names the environment variable with the command that has to run
// programs of this kind, as go test's -exec has it: the name of an emulator, with
// its arguments. Unset or empty, the system runs them.
const Emulator = "GOTORCH_TEST_EXEC"

// Command returns the command that runs this program with other arguments. Its
// environment is that of this process until its Env is set.
func Command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil { // an argument does as well, but for a changed folder
		self = os.Args[0]
	}
	line := append(strings.Fields(os.Getenv(Emulator)), self)
	return exec.Command(line[0], append(line[1:], args...)...)
}
