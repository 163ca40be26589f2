package indirect

import (
	"github.com/gotorch/gotorch/torch"
	"leaky/parts"
)

func measured(n int, w *torch.Tensor) (sum float64) {
	for range n {
		sum += parts.Measure(w) // leak: looptensor
	}
	return sum
}
