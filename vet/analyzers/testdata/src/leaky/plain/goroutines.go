package plain

import (
	"github.com/gotorch/gotorch/torch"
)

func goroutines(n int, w *torch.Tensor) {
	never := make(chan struct{})
	for range n {
		x := w.Mul(w)
		go func() { // leak: growing
			<-never
			_ = x.Close()
		}()
	}
}
