// Package documentation tests the code blocks of the pages that name packages of this
// module.
package documentation_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// TestDocumentation compiles and runs the code blocks.
func TestDocumentation(t *testing.T) {
	docblocks.Run(t, "../../..", "transformers")
}
