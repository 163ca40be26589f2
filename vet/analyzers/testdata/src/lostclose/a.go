package lostclose

import "github.com/gotorch/gotorch/torch"

func early(x *torch.Tensor, bad bool) float64 {
	y := x.Mul(x)
	if bad {
		return 0 // want `this return leaves y open`
	}
	sum := y.Item()
	y.Close()
	return sum
}

func closed(x *torch.Tensor, bad, worse bool) float64 {
	y := x.Mul(x)
	if bad {
		_ = y.Close()
		return 0
	}
	if worse {
		return 1 //torchvet:ignore lostclose the process ends
	}
	sum := y.Item()
	y.Close()
	return sum
}

func deferred(x *torch.Tensor, bad bool) float64 {
	y := x.Mul(x)
	defer y.Close()
	if bad {
		return 0
	}
	return y.Item()
}

// The caller's scope frees it.
func inScope(x *torch.Tensor) {
	torch.Scope(func() { step(x, true) })
}

func step(x *torch.Tensor, bad bool) {
	y := x.Mul(x)
	if bad {
		return
	}
	y.Close()
}
