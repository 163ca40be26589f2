package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

func square(w *torch.Tensor) *torch.Tensor { return w.Mul(w) }

func read(x *torch.Tensor) float64 { return x.Item() }

func helper(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := square(w) // leak: looptensor
		sum += read(x)
	}
	return sum
}
