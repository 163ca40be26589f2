// Package standalone builds and runs programs in a separate module, as users do. It is
// for tests.
package standalone

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Run builds main.go with go build and the given flags, in a module that replaces the
// library with the checkout at root. It runs the program and returns its standard output.
func Run(t testing.TB, root, main string, flags ...string) string {
	t.Helper()
	root, err := filepath.Abs(root)
	require.NoError(t, err)
	dir := t.TempDir()
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	for name, text := range map[string]string{
		"main.go": main,
		"go.sum":  string(sums),
		"go.mod": "module example.com/program\n\ngo 1.26\n\nrequire github.com/gotorch/gotorch v0.0.0\n\n" +
			"replace github.com/gotorch/gotorch => " + root + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	build := exec.CommandContext(t.Context(), "go", //nolint:gosec // flags of the test's
		append(append([]string{"build", "-mod=mod", "-o", "program"}, flags...), ".")...)
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, main)
	run := exec.CommandContext(t.Context(), filepath.Join(dir, "program")) //nolint:gosec // just built
	var warnings strings.Builder
	run.Stderr = &warnings
	out, err = run.Output()
	require.NoError(t, err, "%s%s", out, warnings.String())
	return string(out)
}
