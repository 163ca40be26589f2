package clean

import (
	"sync"

	"github.com/gotorch/gotorch/torch"
)

func workers(n int, w *torch.Tensor) float64 {
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0.0
	for range 4 {
		wg.Go(func() {
			for range n {
				torch.Scope(func() {
					x := w.Mul(w)
					mu.Lock()
					defer mu.Unlock()
					sum += x.Item()
				})
			}
		})
	}
	wg.Wait()
	return sum
}
