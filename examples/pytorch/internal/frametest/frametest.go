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

// Golden reads the losses that reference.py wrote to a file, or a program.
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

// Compare runs a program, which writes its losses to a file, and compares them with those of
// testdata/losses.txt: the first two to one part in ten thousand, which tells a step that is
// taken otherwise from one that a processor rounds otherwise. Each step multiplies what was
// rounded, by ten and more where an optimizer moves a weight of hardly any gradient as far as
// the others: later ones may differ by a thousandth. On one machine all are the same bits,
// which `make bench MODE=twins` shows.
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
