package plot_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// The documentation's code blocks that use this package compile and run.
func TestDocumentation(t *testing.T) {
	docblocks.Run(t, "../..", "memory/plot")
}
