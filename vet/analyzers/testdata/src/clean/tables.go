package clean

import (
	"github.com/gotorch/gotorch/torch"
)

func tables(w *torch.Tensor) (sum float64) {
	for _, c := range []struct {
		name string
		run  func(*torch.Tensor) *torch.Tensor
	}{
		{"square", func(x *torch.Tensor) *torch.Tensor { return x.Mul(x) }},
		{"double", func(x *torch.Tensor) *torch.Tensor { return x.Add(x) }},
	} {
		y := c.run(w)
		sum += y.Item()
	}
	return sum
}
