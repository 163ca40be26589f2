package clean

import (
	"github.com/gotorch/gotorch/torch"
)

func deferring(n int, w *torch.Tensor) (sum float64) {
	for range n {
		func() {
			x := w.Mul(w)
			defer x.Close()
			sum += x.Item()
		}()
	}
	for range 3 {
		x := w.Mul(w)
		defer x.Close()
		sum += x.Item()
	}
	return sum
}
