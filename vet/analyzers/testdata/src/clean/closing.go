package clean

import (
	"github.com/gotorch/gotorch/torch"
)

func closing(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := w.Mul(w)
		y := x.Sum()
		sum += y.Item()
		x.Close()
		_ = y.Close()
	}
	return sum
}
