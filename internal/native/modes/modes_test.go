package modes_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/torch" // for its implementation of modes.Goroutines
)

func TestDevicesAndStreamsNest(t *testing.T) {
	assert.Zero(t, modes.Current())
	modes.Device("cuda.WithDevice", 1, func() {
		assert.Equal(t, 1, modes.CurrentDevice())
		modes.Stream("cuda.Stream.Do", 3, 35, func() {
			assert.Equal(t, 3, modes.CurrentDevice())
			modes.Stream("cuda.Stream.Do", 2, 67, func() {
				assert.Equal(t, 2, modes.CurrentDevice())
				assert.EqualValues(t, 67, modes.CurrentStream(2))
				assert.EqualValues(t, 35, modes.CurrentStream(3), "another device keeps its stream")
				modes.Stream("cuda.Stream.Do", 3, 0, func() {
					assert.Zero(t, modes.CurrentStream(3))
					assert.EqualValues(t, 67, modes.CurrentStream(2))
				})
			})
			assert.Zero(t, modes.CurrentStream(2))
			assert.EqualValues(t, 35, modes.CurrentStream(3))
		})
		assert.Equal(t, 1, modes.CurrentDevice())
		assert.Zero(t, modes.CurrentStream(3))
	})
	assert.Panics(t, func() { modes.Device("cuda.WithDevice", 1, func() { panic("out") }) })
	assert.Zero(t, modes.Current())
}

// Modes with the same streams share a row of the table, even if the streams were set in a
// different order.
func TestEqualModesAreOneRow(t *testing.T) {
	var a, b modes.Modes
	require.True(t, a.SetStream(1, 7) && a.SetStream(5, 9) && a.SetStream(3, 8))
	require.True(t, b.SetStream(3, 8) && b.SetStream(5, 1) && b.SetStream(5, 9) && b.SetStream(4, 2) &&
		b.SetStream(1, 7) && b.SetStream(4, 0))
	assert.Equal(t, a, b)
	row, st := cgotorch.InternModes(&a)
	require.Zero(t, st)
	rows := cgotorch.ModesRows()
	again, st := cgotorch.InternModes(&b)
	require.Zero(t, st)
	assert.Equal(t, row, again)
	assert.Equal(t, rows, cgotorch.ModesRows())
	assert.Equal(t, a, cgotorch.ModesOf(row))
	var none modes.Modes
	first, st := cgotorch.InternModes(&none)
	require.Zero(t, st)
	assert.Zero(t, first, "the modes of a new thread are row 0")
}

func TestTooManyStreams(t *testing.T) {
	var m modes.Modes
	for i := range cgotorch.ModesStreams {
		require.True(t, m.SetStream(i, 1))
	}
	before := m
	assert.False(t, m.SetStream(cgotorch.ModesStreams, 1))
	assert.Equal(t, before, m)
	assert.True(t, m.SetStream(cgotorch.ModesStreams, 0))
	assert.True(t, m.SetStream(0, 2))
	modes.With("cuda.Stream.Do", &m, func() {
		err := torch.Try(func() { modes.Stream("cuda.Stream.Do", 16, 1, func() { t.Error("ran") }) })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.Contains(t, err.Error(), "cuda.Stream.Do")
	})
}

// The table of modes has room for 65536 rows. The test fills it in a new process, because
// rows are never removed.
func TestFullTable(t *testing.T) {
	const child = "GOTORCH_TEST_FULL_TABLE"
	if os.Getenv(child) == "" {
		cmd := again.Command("-test.run=^TestFullTable$")
		cmd.Env = append(os.Environ(), child+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	var err error
	n := 0
	for err == nil && n < 70_000 {
		n++
		err = torch.Try(func() { modes.Stream("cuda.Stream.Do", 0, int64(n), func() {}) })
	}
	assert.Equal(t, 65_536, n, "row 0 is there from the start")
	require.ErrorIs(t, err, torch.ErrValue)
	assert.ErrorContains(t, err, "cuda.Stream.Do: the program has used 65536 combinations")
	ran := false
	modes.Stream("cuda.Stream.Do", 0, 1000, func() { ran = true })
	assert.True(t, ran, "rows that are there go on")
}
