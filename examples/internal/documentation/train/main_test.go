package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/torchtest"
)

func TestRun(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	folder := t.TempDir()
	require.NoError(t, run(folder))
	assert.FileExists(t, filepath.Join(folder, "memory.html"))
	assert.FileExists(t, filepath.Join(folder, "profile.html"))
	tilestest.PNG(t, filepath.Join(folder, "tracker.png"))
	graph, err := os.ReadFile(filepath.Join(folder, "graph.svg"))
	require.NoError(t, err)
	want, err := os.ReadFile("../../../../docs/img/graph.svg")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(graph), "make generate MODE=pictures")
	assert.Error(t, run(filepath.Join(folder, "missing")))
}
