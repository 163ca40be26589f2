package docs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// The Go blocks of all pages compile and run, and print the output that the pages show.
// The documentation of internal/docblocks explains the comments that mark blocks.
func TestBlocksRun(t *testing.T) {
	docblocks.Run(t, "../..", "")
}

// Each block that is compiled but not run has one of the known reasons. The number of
// blocks with each reason is limited.
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
