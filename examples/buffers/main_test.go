package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/torchtest"
)

func small() config { return config{batches: 40, size: 16} }

// The results do not depend on the number of buffers. Each additional buffer needs the same
// number of bytes, and all memory is free at the end.
func TestPipeline(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	one := pipeline(small(), 1, nil)
	assert.NotZero(t, one.sum)
	for n := 1; n <= 4; n++ {
		got := pipeline(small(), n, nil)
		assert.InDelta(t, one.sum, got.sum, 0)
		assert.EqualValues(t, 4*16*16*n, got.held)
		assert.Zero(t, got.left)
		assert.Len(t, got.loads, 40)
		require.Len(t, got.computing, 40)
		for i := range got.loads {
			assert.LessOrEqual(t, got.loads[i].to, got.computing[i].to, "batch %d is computed after it is there", i)
			if i >= n {
				assert.LessOrEqual(t, got.computing[i-n].from, got.loads[i].from, "batch %d waits for a buffer", i)
			}
		}
	}
}

func TestRun(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	folder := t.TempDir()
	c.plot, c.losses = filepath.Join(folder, "timeline.png"), filepath.Join(folder, "means")
	var out strings.Builder
	require.NoError(t, run(c, &out))
	assert.Len(t, strings.Split(strings.TrimSpace(out.String()), "\n"), 3)
	means, err := os.ReadFile(c.losses)
	require.NoError(t, err)
	assert.Equal(t, 3*40+1, strings.Count(string(means), "\n"), "a line for each result, and the peak")
	tilestest.PNG(t, c.plot)

	c.plot = filepath.Join(folder, "no", "timeline.png")
	require.ErrorIs(t, run(c, io.Discard), os.ErrNotExist)
	c.losses = filepath.Join(folder, "no", "means")
	require.ErrorIs(t, run(c, io.Discard), os.ErrNotExist)
	assert.ErrorContains(t, run(config{}, io.Discard), "-batches")
}
