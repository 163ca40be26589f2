package safetensors_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// Methods of a file that Open did not return panic with an error that says so.
func TestMethodsOfNothing(t *testing.T) {
	filetest.Made(t, (*safetensors.File)(nil), new(safetensors.File), (*safetensors.Sharded)(nil),
		new(safetensors.Sharded))
}
