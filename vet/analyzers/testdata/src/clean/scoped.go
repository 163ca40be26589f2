package clean

import (
	"github.com/gotorch/gotorch/torch"
)

func scoped(n int, w *torch.Tensor) (sum float64) {
	for range n {
		torch.Scope(func() { sum += w.Mul(w).Sum().Item() })
	}
	for i := range torch.ScopedRange(n) {
		x := w.Mul(w)
		if sum += x.Sum().Item(); i > 2 {
			break
		}
	}
	return sum
}
