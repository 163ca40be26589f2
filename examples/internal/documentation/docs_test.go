// Package documentation tests the code blocks of the examples' pages.
package documentation_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// Code blocks that import the examples' packages compile and run.
func TestDocumentation(t *testing.T) {
	docblocks.Run(t, "../../..", "examples")
}
