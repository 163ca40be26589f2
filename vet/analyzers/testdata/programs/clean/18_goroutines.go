// Each step starts a goroutine that reports the loss, and waits for the goroutine.
package main

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/torch"
)

func main() {
	w := torch.Randn(torch.Shape{512, 512}).RequiresGrad_()
	for step := 0; step < 10000; step++ {
		x := torch.Randn(torch.Shape{16, 512})
		loss := x.MatMul(w).Square().Mean()
		loss.Backward()
		torch.NoGrad(func() { w.Sub_(w.Grad().MulScalar(0.01)) })
		torch.ZeroGrad(w)
		var wg sync.WaitGroup
		wg.Add(2)
		go func() {
			defer wg.Done()
			fmt.Println(step, loss.Item())
		}()
		go func() {
			defer wg.Done()
			fmt.Println(step, w.Norm().Item())
		}()
		wg.Wait()
	}
}
