// Package frametest compares the losses of the programs of examples/pytorch with Python's.
package frametest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Golden reads a file of losses, written by reference.py or by a program.
func Golden(t testing.TB, path string) (losses []float64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(path))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var seconds, loss float64
		_, err := fmt.Sscan(line, &seconds, &loss)
		require.NoError(t, err)
		losses = append(losses, loss)
	}
	return losses
}

// Compare runs a program, which writes its losses to a file, and compares them with
// testdata/losses.txt. The first two losses may differ by 1e-4, which allows for rounding
// on other processors but not for a different step. Each step amplifies rounding errors, by
// ten or more if an optimizer moves weights with tiny gradients as far as others. So later
// losses may differ by 1e-3. On one machine all bits are the same, which `make twins`
// checks.
func Compare(t testing.TB, run func(file string) error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "losses")
	require.NoError(t, run(file))
	want, got := Golden(t, "testdata/losses.txt"), Golden(t, file)
	require.NotEmpty(t, want)
	require.Len(t, got, len(want))
	for i, w := range want {
		tolerance := 1e-4
		if i >= 2 {
			tolerance = 1e-3
		}
		assert.InEpsilon(t, w, got[i], tolerance, "step %d", i+1)
	}
}
