package pythontest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
)

// failing is a testing.TB that only records whether it has failed.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Helper()               {}
func (f *failing) Errorf(string, ...any) { f.failed = true }
func (f *failing) FailNow()              { panic(f) }

func fails(t *testing.T, fn func(t testing.TB)) bool {
	t.Helper()
	f := &failing{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(f) {
				panic(r)
			}
		}()
		fn(f)
	}()
	return f.failed
}

// Goldens fails if a row has no entry in the file, if a row has changed since its entry
// was written, or if an entry has no row. With GOTORCH_WRITE_GOLDENS set, it passes only
// new rows to the script.
func TestGoldens(t *testing.T) {
	pythontest.Interpreter(t, "torch")
	path, script := filepath.Join(t.TempDir(), "goldens.json"), filepath.Join(t.TempDir(), "script.py")
	const text = `import json, sys
print(json.dumps({n: sys.argv[1] + r["of"] for n, r in json.load(sys.stdin).items()}))`
	require.NoError(t, os.WriteFile(script, []byte(text), 0o600))
	row := func(of string) any { return map[string]string{"of": of} }
	goldens := func(rows map[string]any, mark string) (got map[string]string, failed bool) {
		failed = fails(t, func(t testing.TB) { got = pythontest.Goldens[string](t, path, rows, script, mark) })
		return got, failed
	}
	_, failed := goldens(map[string]any{"a": row("<1>")}, "x")
	assert.True(t, failed, "no file")

	t.Setenv("GOTORCH_WRITE_GOLDENS", "1")
	got, failed := goldens(map[string]any{"a": row("<1>"), "b": row("2")}, "x")
	assert.False(t, failed)
	assert.Equal(t, map[string]string{"a": "x<1>", "b": "x2"}, got)

	t.Setenv("GOTORCH_WRITE_GOLDENS", "")
	for name, rows := range map[string]map[string]any{
		"more":  {"a": row("<1>"), "b": row("2"), "c": row("3")},
		"other": {"a": row("<1>"), "b": row("3")},
		"fewer": {"a": row("<1>")},
	} {
		_, failed = goldens(rows, "y")
		assert.True(t, failed, name)
	}

	t.Setenv("GOTORCH_WRITE_GOLDENS", "1")
	got, failed = goldens(map[string]any{"a": row("<1>"), "c": row("3")}, "y")
	assert.False(t, failed)
	assert.Equal(t, map[string]string{"a": "x<1>", "c": "y3"}, got)
}
