package deferloop

import "github.com/gotorch/gotorch/torch"

func late(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := w.Mul(w)
		defer x.Close() // want `this Close runs when the function returns`
		sum += x.Item()
	}
	for range n {
		x := w.Mul(w)
		defer func() { _ = x.Close() }() // want `this Close runs when the function returns`
	}
	return sum
}

func fine(n int, ws []*torch.Tensor) {
	for range n {
		torch.Scope(func() {
			x := ws[0].Mul(ws[0])
			defer x.Close()
		})
	}
	for _, w := range ws {
		defer w.Close()
	}
	for range n {
		x := torch.Rand(2)
		defer x.Close() //torchvet:ignore deferloop few are asked for
	}
}
