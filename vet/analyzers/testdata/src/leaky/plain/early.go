package plain

import (
	"github.com/gotorch/gotorch/torch"
)

func early(x *torch.Tensor, limit float64) float64 {
	y := x.Mul(x)
	sum := y.Sum()
	defer sum.Close()
	if sum.Item() > limit {
		return limit // leak: lostclose
	}
	y.Close()
	return sum.Item()
}
