package clean

import (
	"github.com/gotorch/gotorch/torch"
)

// The runner opens the scope.
var jobs = map[string]func(*torch.Tensor) float64{
	"square": func(w *torch.Tensor) float64 {
		x := w.Mul(w)
		return x.Item()
	},
}

func runJobs(n int, w *torch.Tensor) (sum float64) {
	for _, job := range jobs {
		for range n {
			torch.Scope(func() { sum += job(w) })
		}
	}
	return sum
}
