package clean

import (
	"sync"

	"github.com/gotorch/gotorch/torch"
)

func waiting(n int, w *torch.Tensor) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range n {
		x := w.Mul(w)
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-done
			_ = x.Close()
		}()
	}
	close(done)
	wg.Wait()
}
