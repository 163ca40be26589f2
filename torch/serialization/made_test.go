package serialization_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Methods of files that were not opened return an error that says so.
func TestMethodsOfNothing(t *testing.T) {
	filetest.Made(t, (*serialization.StateDictFile)(nil), new(serialization.StateDictFile),
		(*serialization.StateDict)(nil))
}
