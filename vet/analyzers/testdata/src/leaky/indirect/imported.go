package indirect

import (
	"leaky/parts"

	"github.com/gotorch/gotorch/torch"
)

func imported(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := parts.Square(w) // leak: looptensor
		sum += parts.Read(x)
	}
	return sum
}
