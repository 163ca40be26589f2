package numpy_test

import (
	"testing"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch/numpy"
)

// Methods of what nobody has opened say so.
func TestMethodsOfNothing(t *testing.T) {
	filetest.Made(t, (*numpy.NpzFile)(nil), new(numpy.NpzFile))
}
