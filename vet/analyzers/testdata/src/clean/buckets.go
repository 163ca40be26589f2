package clean

import (
	"github.com/gotorch/gotorch/torch"
)

func buckets(n int, w *torch.Tensor) map[int]*torch.Tensor {
	sums := map[int]*torch.Tensor{}
	for i := range n {
		sums[i%10] = w.Mul(w)
	}
	return sums
}
