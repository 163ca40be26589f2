package reparam

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Matrix returns a weight with two or more dimensions as a matrix with one row for each index of
// dimension dim. The matrix is a view if possible, otherwise a copy.
func Matrix(w *torch.Tensor, dim int64) *torch.Tensor {
	if dim != 0 {
		order := []int64{dim}
		for d := range w.Dim() {
			if d != dim {
				order = append(order, d)
			}
		}
		w = w.Permute(order...)
	}
	return w.Flatten(1)
}

// Normalize divides a vector by its norm.
func (s *Spectral) Normalize(x *torch.Tensor) *torch.Tensor {
	return F.Normalize(x, F.Dim(0), F.Eps(s.Eps))
}
