// Package frametest tests the programs of examples/pytorch. It checks that their losses
// equal Python's, that they can be interrupted, and which errors they return.
package frametest

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torchtest"
)

// Golden reads a losses file, written by reference.py or by a program.
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
// testdata/losses.txt. The first two losses may differ by 1e-4. That allows for different
// rounding on other processors, but a wrong step makes a larger difference. Each step
// amplifies rounding errors, by ten or more if an optimizer moves weights with tiny
// gradients as far as all other weights. So later losses may differ by 1e-3. On one
// machine all bits are the same, which `make bench MODE=twins` checks.
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

// A program runs with the given settings until its steps are done or ctx ends.
type program[C any] = func(ctx context.Context, c C, out io.Writer) error

// Interrupted checks that a program whose context has ended returns the right error and
// leaves no tensors open.
func Interrupted[C any](t *testing.T, c C, run program[C]) {
	t.Helper()
	defer torchtest.CheckLeaks(t)()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	require.NoError(t, run(ctx, c, &out))
	assert.Contains(t, out.String(), "interrupted after 0 steps")
}

// A Mistake makes valid settings invalid. Want is the error that the program must then
// return.
type Mistake[C any] = struct {
	Change func(*C)
	Want   error
}

// Mistakes checks the errors that a program returns for invalid settings.
func Mistakes[C any](t *testing.T, good func() C, run program[C], cases map[string]Mistake[C]) {
	t.Helper()
	for name, bad := range cases {
		c := good()
		bad.Change(&c)
		assert.ErrorIs(t, run(t.Context(), c, io.Discard), bad.Want, name)
	}
}

// Refused checks the error messages of a program for invalid settings. The keys of cases
// are parts of the messages.
func Refused[C any](t *testing.T, good func() C, run program[C], cases map[string]func(*C)) {
	t.Helper()
	for text, change := range cases {
		c := good()
		change(&c)
		assert.ErrorContains(t, run(t.Context(), c, io.Discard), text)
	}
}
