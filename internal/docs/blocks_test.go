package docs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// Go blocks compile, run and print the output that the pages show. The documentation of
// internal/docblocks explains how to write blocks.
func TestBlocksRun(t *testing.T) {
	docblocks.Run(t, "../..", "")
}

// Few blocks are only compiled, all for one of the known reasons.
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
