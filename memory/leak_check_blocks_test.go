package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
)

// namesMakeThree allocates a block in makeThree, and reports whether the history names
// that function.
func namesMakeThree(t *testing.T) bool {
	t.Helper()
	x := makeThree()
	defer func() { require.NoError(t, x.Close()) }()
	for _, b := range memory.Snapshot().Live() {
		if calls(b.Frames, "makeThree") {
			return true
		}
	}
	return false
}

// A history that the program starts during a check continues after it, whatever its mode.
// The check's own recording ends with the check.
func TestLeakCheckEndsItsOwnHistoryAlone(t *testing.T) {
	memory.StopHistory()
	defer memory.StopHistory()
	for _, mode := range []memory.HistoryMode{memory.HistoryState, memory.HistoryAll} {
		outer, inner := memory.StartLeakCheck(), memory.StartLeakCheck()
		assert.True(t, namesMakeThree(t))
		inner.Stop()
		assert.True(t, namesMakeThree(t), "as long as any check runs")
		require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Enabled: mode}))
		outer.Stop()
		assert.True(t, namesMakeThree(t), "the program's %s", mode)

		within := memory.StartLeakCheck()
		within.Stop()
		assert.True(t, namesMakeThree(t), "begun before the check")

		memory.StopHistory()
		last := memory.StartLeakCheck()
		last.Stop()
		assert.False(t, namesMakeThree(t), "nobody records")
	}
}

// If the program stops its history during a check, the check continues.
func TestLeakCheckAfterStopHistory(t *testing.T) {
	memory.StopHistory()
	for _, mode := range []memory.HistoryMode{"", memory.HistoryState, memory.HistoryAll} {
		if mode != "" {
			require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Enabled: mode}))
		}
		check := memory.StartLeakCheck()
		before := makeThree()
		memory.StopHistory()
		assert.True(t, namesMakeThree(t), mode)
		after := makeThree()
		left := check.Stop()
		require.NotEmpty(t, left.Blocks, mode)
		assert.Contains(t, left.Blocks[0].Key, "history_test.go", mode)
		assert.EqualValues(t, 2, left.Blocks[0].CountDelta, mode)
		assert.False(t, namesMakeThree(t), "nobody records")
		closeAll(before, after)()
	}
}
