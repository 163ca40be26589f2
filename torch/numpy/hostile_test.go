package numpy_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
	"github.com/gotorch/gotorch/torchtest"
)

// zeros is a reader that never ends.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// If a header claims an array that is larger than the machine's memory, LoadFrom returns an
// error and allocates no memory for it. This holds even if the data never ends.
func TestEndlessReader(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1125899906842624,), }\n"
	file := "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header
	_, err := numpy.LoadFrom(io.MultiReader(strings.NewReader(file), zeros{}))
	require.ErrorIs(t, err, torch.ErrOutOfMemory)
}
