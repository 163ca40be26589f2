package data

import (
	"bytes"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
)

// numpyArray returns the array of a NumPy file as a contiguous tensor with the array's
// dtype and shape.
func numpyArray(b []byte) (*torch.Tensor, error) {
	x, err := numpy.LoadFrom(bytes.NewReader(b))
	if err != nil || x.IsContiguous() {
		return x, err
	}
	defer func() { _ = x.Close() }() // never fails
	return x.Contiguous(), nil
}
