package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

var steps = map[string]func(*torch.Tensor) float64{
	"square": func(w *torch.Tensor) float64 {
		x := w.Mul(w) // leak: looptensor
		return x.Item()
	},
	"twice": double,
}

func double(w *torch.Tensor) float64 {
	x := w.Add(w) // leak: looptensor
	return x.Item()
}

func runSteps(n int, w *torch.Tensor) {
	for _, step := range steps {
		for range n {
			step(w)
		}
	}
}
