// Package documentation tests the blocks of the pages that name packages of this module.
package documentation_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// They compile and run.
func TestDocumentation(t *testing.T) {
	docblocks.Run(t, "../../..", "vision")
}
