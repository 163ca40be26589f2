// Each step starts a goroutine that reports the loss only at the end of the training.
package main

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/torch"
)

func main() {
	w := torch.Randn(torch.Shape{512, 512}).RequiresGrad_()
	done := make(chan struct{})
	var wg sync.WaitGroup
	for step := 0; step < 10000; step++ {
		x := torch.Randn(torch.Shape{16, 512})
		loss := x.MatMul(w).Square().Mean()
		loss.Backward()
		torch.NoGrad(func() { w.Sub_(w.Grad().MulScalar(0.01)) })
		torch.ZeroGrad(w)
		wg.Add(1)
		go func() { // want leak
			defer wg.Done()
			<-done
			fmt.Println(step, loss.Item()) // want leak
		}()
	}
	close(done)
	wg.Wait()
}
