package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

func worker(n int, w *torch.Tensor, sums chan<- float64) {
	for range n {
		x := w.Mul(w) // leak: looptensor
		sums <- x.Item()
	}
}

func workers(n int, w *torch.Tensor) {
	sums := make(chan float64)
	for range 4 {
		go worker(n, w, sums)
	}
	for range 4 * n {
		<-sums
	}
}
