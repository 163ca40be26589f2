package lostclose

import "github.com/gotorch/gotorch/torch"

func early(x *torch.Tensor, bad bool) float64 {
	y := x.Mul(x) // made here
	if bad {
		return 0 // want `this return leaves y open`
	}
	sum := y.Item()
	y.Close()
	return sum
}
