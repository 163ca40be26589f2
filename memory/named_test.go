package memory_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// The memory of a captured graph has a name in summaries and snapshots, with the line
// that captured it.
func TestGraphsAreNamed(t *testing.T) {
	row := func() string {
		for line := range strings.Lines(memory.Summary(torch.CPU)) {
			if strings.HasPrefix(line, "| Graphs ") {
				return strings.Join(strings.Fields(strings.Split(line, "|")[2]), " ")
			}
		}
		return ""
	}
	blocks := func(s *memory.SnapshotData) (named []memory.Block) {
		for _, seg := range s.Segments {
			for _, b := range seg.Blocks {
				if b.Pool != "" {
					named = append(named, b)
				}
			}
		}
		return named
	}
	system := memory.Backend(torch.CPU) == "system" // the system's allocator has no segments
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1 << 16})
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{x.Exp().Log().Sum()} })
		defer g.Close()
		assert.Equal(t, "524288 B", row())
		s := memory.Snapshot()
		named := blocks(s)
		if !system {
			require.Len(t, named, 1)
			assert.Regexp(t, `^graph \(captured at .*named_test\.go:\d+\)$`, named[0].Pool)
			assert.Equal(t, g.Stats().ArenaBytes, named[0].RequestedSize)
		}
		var file bytes.Buffer
		require.NoError(t, s.WritePickle(&file))
		back, err := memory.ReadSnapshot(&file)
		require.NoError(t, err)
		assert.Equal(t, named, blocks(back))
		require.NoError(t, g.Close())
		assert.Empty(t, row())
		assert.Empty(t, blocks(memory.Snapshot()))
	})
}
