package clean

import (
	"github.com/gotorch/gotorch/torch"
)

func collect(n int, w *torch.Tensor) *torch.Tensor {
	var rows []*torch.Tensor
	for range n {
		rows = append(rows, w.Mul(w))
	}
	defer discard(rows...)
	return torch.Stack(rows, 0)
}
