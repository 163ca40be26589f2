package serialization_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// goldens maps the names of the files in testdata/golden to Python's descriptions of their contents.
func goldens(t testing.TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.txt")
	require.NoError(t, err)
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		out[name] = value
	}
	return out
}

func golden(name string) string { return filepath.Join("testdata", "golden", name) }

func TestFilesOfPythonAreReadAsPythonReadsThem(t *testing.T) {
	for name, want := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				v, err := serialization.Load(golden(name))
				require.NoError(t, err)
				if got := describe(t, v); got != want {
					assert.Fail(t, "another value", difference(want, got))
				}
			})
		})
	}
}

// difference returns the parts at which two long texts begin to differ.
func difference(want, got string) string {
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	cut := func(s string) string { return s[max(0, i-60):min(len(s), i+100)] }
	return "want ..." + cut(want) + "\ngot  ..." + cut(got)
}
