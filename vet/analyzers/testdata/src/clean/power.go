package clean

import (
	"github.com/gotorch/gotorch/torch"
)

// Nothing here has a graph.
func power(n int, a *torch.Tensor) *torch.Tensor {
	v := torch.Rand(4)
	for range n {
		next := torch.Tidy(func() *torch.Tensor { return a.MatMul(v).Tanh() })
		_ = v.Close()
		v = next
	}
	return v
}
