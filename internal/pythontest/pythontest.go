// Package pythontest runs the Python programs that tests compare with. It uses the
// interpreter in GOTORCH_PYTHON, or otherwise in build/venv, which bench/setup_python.sh
// creates.
package pythontest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Interpreter returns the path of the Python interpreter. It skips the test in short
// mode, under the race detector, or if Python lacks one of the modules.
func Interpreter(t testing.TB, modules ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starting Python is left out of short runs")
	}
	if race {
		t.Skip("values are compared with Python's without the race detector, which would find nothing more")
	}
	path := os.Getenv("GOTORCH_PYTHON")
	if path == "" {
		path = beside(t, filepath.Join("build", "venv", "bin", "python"))
	}
	const script = "import importlib.util, sys; sys.exit(any(importlib.util.find_spec(m) is None for m in " +
		"sys.argv[1:]))"
	find := exec.Command(path, append([]string{"-c", script}, modules...)...) //nolint:gosec // the Python of the tests
	if err := find.Run(); err != nil {
		t.Skipf("found no Python with %s: run bench/setup_python.sh", strings.Join(modules, ", "))
	}
	return path
}

// beside returns the path of a file in the repository, or "" if it does not exist. It
// searches the test's directory and the directories above it.
func beside(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for ; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// Script runs a Python script and returns its output. The script runs in folder; if
// folder is "", it runs in the test's current directory. If the script fails, the test
// fails with the script's error output.
func Script(t testing.TB, python, folder, script string, args ...string) string {
	t.Helper()
	return Run(t, python, folder, append([]string{"-c", script}, args...)...)
}

// Run is like [Script], but with any arguments, such as a file name and its arguments.
func Run(t testing.TB, python, folder string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, args...)
	cmd.Dir = folder
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, stderr.String())
	return string(out)
}
