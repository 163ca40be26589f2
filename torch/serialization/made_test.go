package serialization_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Methods of a StateDictFile that OpenStateDict did not return panic with an error that
// says so.
func TestMethodsOfNothing(t *testing.T) {
	filetest.Made(t, (*serialization.StateDictFile)(nil), new(serialization.StateDictFile),
		(*serialization.StateDict)(nil))
}
