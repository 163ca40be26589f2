// Package again starts the running program again, for tests that need a new process.
package again

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Emulator is the name of an environment variable. The variable holds the command that
// runs test programs, such as an emulator with its arguments, like the flag -exec of go
// test. If the variable is unset or empty, the system runs them directly.
const Emulator = "GOTORCH_TEST_EXEC"

// Command returns the command that runs this program with other arguments. It has the
// environment of this process unless its Env is set.
func Command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	// Fall back to os.Args[0]. It is wrong only after the program has changed its working
	// directory.
	if err != nil {
		self = os.Args[0]
	}
	line := append(strings.Fields(os.Getenv(Emulator)), self)
	return exec.Command(line[0], append(line[1:], args...)...)
}

// With reports whether setting, which has the form NAME=VALUE, is in the environment of
// this process. Use it for variables that libraries read only once. If setting is
// missing, With runs the test again in a new process that has it. The test must pass
// there, and the caller must then return.
func With(t testing.TB, setting string) bool {
	t.Helper()
	if slices.Contains(os.Environ(), setting) {
		return true
	}
	cmd := Command("-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), setting)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("with %s: %v\n%s", setting, err, out)
	}
	return false
}
