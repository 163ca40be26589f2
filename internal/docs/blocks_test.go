package docs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// Blocks of Go compile, run and print what the pages say. How to write them is in
// internal/docblocks.
func TestBlocksRun(t *testing.T) {
	docblocks.Run(t, "../..", "")
}

// Few blocks are compiled and not run, all for a reason that is known.
func TestBlocksThatDoNotRun(t *testing.T) {
	blocks, err := docblocks.Read("../..")
	require.NoError(t, err)
	count := map[string]int{}
	for _, b := range blocks {
		if reason, ok := b.Mark("compiled only"); ok {
			assert.Contains(t, docblocks.Lids, reason, b.Place())
			count[reason]++
		}
	}
	for reason, lid := range docblocks.Lids {
		assert.LessOrEqual(t, count[reason], lid, reason)
		assert.NotZero(t, count[reason], "nobody needs %q any more", reason)
	}
}
