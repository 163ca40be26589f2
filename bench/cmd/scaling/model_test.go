package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" { // This process is a rank that a test has started.
		main()
		return
	}
	os.Exit(m.Run())
}

// Run creates missing directories. If that fails, it returns the error before it
// measures.
func TestRun(t *testing.T) {
	wasSizes, wasWorlds := sizes, worlds
	defer func() { sizes, worlds = wasSizes, wasWorlds }()
	sizes, worlds = []int64{1 << 18, 1 << 20}, []int{2}
	out := filepath.Join(t.TempDir(), "build", "more", "scaling.json")
	require.NoError(t, run(out))
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	var r Report
	require.NoError(t, json.Unmarshal(text, &r))
	assert.Len(t, r.Points, 2)
	assert.NotEmpty(t, r.Many)

	worlds = []int{0} // an invalid number of ranks
	err = run(filepath.Join(out, "scaling.json"))
	var e *os.PathError
	require.ErrorAs(t, err, &e)
	require.ErrorContains(t, run(out), "0 ranks")
}

// The fit finds the costs from which the times were computed.
func TestFit(t *testing.T) {
	want := Model{Hop: 42e-6, Byte: 0.7e-9}
	var points []Point
	for _, world := range worlds {
		for _, n := range sizes {
			points = append(points, Point{World: world, Bytes: n, Measured: want.shared(world, n, 2)})
		}
	}
	got := fit(points, 2)
	assert.InEpsilon(t, want.Hop, got.Hop, 0.01)
	assert.InEpsilon(t, want.Byte, got.Byte, 0.01)
}

// More ranks never make a step shorter. When there are two ranks, the sums overlap fully
// with the backward pass.
func TestMany(t *testing.T) {
	m := Model{Hop: 300e-6, Byte: 0.5e-9}
	last := 1.0
	for _, world := range many {
		e := m.many(world).Efficiency
		assert.LessOrEqual(t, e, last)
		last = e
	}
	assert.Equal(t, 1.0, m.many(2).Efficiency)
	assert.Less(t, last, 1.0)
}
