package clean

import (
	"leaky/parts"

	"github.com/gotorch/gotorch/torch"
)

func discard(ts ...*torch.Tensor) {
	for _, t := range ts {
		_ = t.Close()
	}
}

func closingHelper(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := w.Mul(w)
		sum += parts.Read(x)
		discard(x)
	}
	return sum
}
