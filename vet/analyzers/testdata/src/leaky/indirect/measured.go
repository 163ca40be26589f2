package indirect

import (
	"leaky/parts"

	"github.com/gotorch/gotorch/torch"
)

func measured(n int, w *torch.Tensor) (sum float64) {
	for range n {
		sum += parts.Measure(w) // leak: looptensor
	}
	return sum
}
