package torch_test

import (
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/optiontest"
)

// Options whose value is a variable stay on the caller's stack.
func TestOptionsDoNotEscape(t *testing.T) {
	special := map[string]string{
		"Generator": "g", "Layout": "torch.SparseCSR", "BlockSize": "torch.BlockSize{i, i}",
		"Upper": "torch.Upper(b)", "Reduce": "torch.Reduce(s)",
	}
	optiontest.Read(t, ".").DoNotEscape(t, "torch", "github.com/gotorch/gotorch/torch", special,
		func(function string) bool {
			switch function {
			case "Capture", "CaptureByShape": // called once per program, so allocations do not matter
				return true
			}
			// They use reflection and pass options to other functions.
			return strings.HasSuffix(function, "NewTensor") || function == "AsTensor"
		})
}
