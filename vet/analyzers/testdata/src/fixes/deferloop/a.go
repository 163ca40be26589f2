package deferloop

import "github.com/gotorch/gotorch/torch"

func late(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := w.Mul(w)
		defer x.Close() // want `this Close runs when the function returns`
		y := x.Sum()
		defer func() { _ = y.Close() }()
		sum += y.Item()
	}
	return sum
}

func noFix(n int, w *torch.Tensor) float64 {
	for range n {
		x := w.Mul(w)
		defer x.Close() // want `this Close runs when the function returns`
		if v := x.Item(); v > 1 {
			return v
		}
	}
	return 0
}
