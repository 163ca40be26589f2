package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

func table(n int, w *torch.Tensor) {
	for _, c := range []struct {
		name string
		run  func(int, *torch.Tensor) float64
	}{
		{"square", func(n int, w *torch.Tensor) (sum float64) {
			for range n {
				x := w.Mul(w) // leak: looptensor
				sum += x.Item()
			}
			return sum
		}},
	} {
		c.run(n, w)
	}
}
