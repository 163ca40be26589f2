package clean

import (
	"github.com/gotorch/gotorch/torch"
)

func early(x *torch.Tensor, limit float64) float64 {
	y := x.Mul(x)
	defer y.Close()
	sum := y.Sum()
	if sum.Item() > limit {
		_ = sum.Close()
		return limit
	}
	z := sum.Item()
	_ = sum.Close()
	return z
}
