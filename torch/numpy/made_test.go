package numpy_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch/numpy"
)

// Methods of an NpzFile that OpenNpz did not return panic with an error that says so.
func TestMethodsOfNothing(t *testing.T) {
	filetest.Made(t, (*numpy.NpzFile)(nil), new(numpy.NpzFile))
}
