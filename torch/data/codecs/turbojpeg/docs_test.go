package turbojpeg_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// The code blocks in the documentation that use this module compile and run.
func TestDocumentation(t *testing.T) {
	docblocks.Run(t, "../../../..", "torch/data/codecs")
}
