package dlpack_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/torch"
)

// Python loads a Go library. Arrays are passed both ways without a copy, and live as long as either
// side needs them. proof.py has the checks.
func TestPythonInOneProcess(t *testing.T) {
	if !thorough.Asked() {
		t.Skip("building a C library compiles all C++ once more: set " + thorough.Variable + "=1")
	}
	if os.Getenv(again.Emulator) != "" {
		t.Skip("the Python is this machine's, the library another's")
	}
	python := pythontest.Interpreter(t, "numpy", "torch")
	version := pythontest.Script(t, python, "", "import torch; print(torch.__version__)")
	library := filepath.Join(t.TempDir(), "libpyproof.so")
	build := exec.CommandContext(t.Context(), "go", //nolint:gosec // a path of the test's
		"build", "-buildmode=c-shared", "-o", library, "./testdata/pyproof")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, order := range []string{"numpy", "torch-first", "torch-later"} {
		t.Run(order, func(t *testing.T) {
			if same, _, _ := strings.Cut(version, "+"); order != "numpy" && strings.TrimSpace(same) != torch.Version() {
				t.Skipf("a process has one libtorch: Python's is %s, the library's %s", same, torch.Version())
			}
			assert.Equal(t, "ok "+order+"\n",
				pythontest.Run(t, python, "", filepath.Join("testdata", "proof.py"), library, order))
		})
	}
}
