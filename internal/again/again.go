// Package again starts the running program a second time, for tests that need a
// process of their own.
package again

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
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

// With reports whether this process has a setting of the environment, NAME=VALUE, which
// libraries read once. Without it the test is run in a process that has it, where it has to
// pass, and the caller returns.
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
