package turbojpeg_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// The documentation's code blocks that decode with it compile and run.
func TestDocumentation(t *testing.T) {
	docblocks.Run(t, "../../../..", "torch/data/codecs")
}
