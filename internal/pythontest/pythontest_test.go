package pythontest_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
)

func TestScript(t *testing.T) {
	python := pythontest.Interpreter(t, "json", "sys")
	dir := t.TempDir()
	got := pythontest.Script(t, python, dir,
		"import os, sys; print(os.getcwd(), sys.argv[1:]); print('a warning', file=sys.stderr)", "a", "b c")
	real, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	assert.Equal(t, real+" ['a', 'b c']\n", got)
	assert.Equal(t, "b'no script'\n", pythontest.Run(t, python, "", "-c", "print(b'no script')"))
}

// Interpreter skips the test if Python or one of the modules is missing. It does not fail
// the test.
func TestInterpreterThatLacksAModule(t *testing.T) {
	reached := false
	t.Run("skipped", func(t *testing.T) {
		pythontest.Interpreter(t, "sys", "no_such_module")
		reached = true
	})
	t.Run("none", func(t *testing.T) {
		t.Setenv("GOTORCH_PYTHON", filepath.Join(t.TempDir(), "python"))
		pythontest.Interpreter(t, "sys")
		reached = true
	})
	t.Run("nowhere", func(t *testing.T) {
		t.Setenv("GOTORCH_PYTHON", "")
		t.Chdir(t.TempDir())
		pythontest.Interpreter(t, "sys")
		reached = true
	})
	assert.False(t, reached)
}
