package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// A nil writer or reader is an error.
func TestNilWritersAndReaders(t *testing.T) {
	tracker := memory.StartTracker(memory.TrackerOptions{})
	defer tracker.Stop()
	_, err := memory.ReadSnapshot(nil)
	g, snapshot := memory.Graph(), memory.Snapshot()
	for name, err := range map[string]error{
		"ReadSnapshot":             err,
		"Tracker.WriteCSV":         tracker.WriteCSV(nil),
		"Tracker.WriteJSON":        tracker.WriteJSON(nil),
		"GraphInfo.WriteDOT":       g.WriteDOT(nil),
		"GraphInfo.WriteSVG":       g.WriteSVG(nil),
		"SnapshotData.WriteJSON":   snapshot.WriteJSON(nil),
		"SnapshotData.WritePickle": snapshot.WritePickle(nil),
		"WriteTensorProfile":       memory.WriteTensorProfile(nil),
	} {
		assert.ErrorIs(t, err, torch.ErrNil, name)
		assert.ErrorContains(t, err, name)
	}
}

// A pool that was not made by NewMemPool cannot be used. Closing it does nothing.
func TestPoolThatWasNotMade(t *testing.T) {
	filetest.Made(t, (*memory.MemPool)(nil), new(memory.MemPool))
	for _, p := range []*memory.MemPool{nil, new(memory.MemPool)} {
		err := torch.Try(func() { memory.UsePool(p, func() { t.Error("ran") }) })
		require.ErrorIs(t, err, torch.ErrNil)
		assert.ErrorContains(t, err, "memory.UsePool")
	}
}
