// Package pythontest runs the Python that tests compare with: the one named by
// GOTORCH_PYTHON, or else that of build/venv, which bench/setup_python.sh creates.
package pythontest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Interpreter returns the path of the Python. It skips the test in short runs, and if no
// Python has the modules.
func Interpreter(t testing.TB, modules ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starting Python is left out of short runs")
	}
	path := os.Getenv("GOTORCH_PYTHON")
	if path == "" {
		path = beside(t, filepath.Join("build", "venv", "bin", "python"))
	}
	const script = "import importlib.util, sys; sys.exit(any(importlib.util.find_spec(m) is None for m in " +
		"sys.argv[1:]))"
	find := exec.Command(path, append([]string{"-c", script}, modules...)...) //nolint:gosec // the Python of the tests
	if err := find.Run(); err != nil {
		t.Skipf("a Python with %s is not there: run bench/setup_python.sh", strings.Join(modules, ", "))
	}
	return path
}

// beside returns a file of the repository that contains the test's folder, or "" if there
// is none.
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

// Script runs a script in a folder, "" for the test's, and returns its output. If the
// script fails, the test fails with the script's error output.
func Script(t testing.TB, python, folder, script string, args ...string) string {
	t.Helper()
	return Run(t, python, folder, append([]string{"-c", script}, args...)...)
}

// Run is [Script] with any arguments, such as a file name and further arguments.
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
