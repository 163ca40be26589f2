// Workers send their losses over a channel. The collector reads the numbers and closes
// the losses.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func worker(jobs <-chan int64, losses chan<- *torch.Tensor, w *torch.Tensor) {
	for seed := range jobs {
		torch.ManualSeed(uint64(seed))
		x := torch.Randn(torch.Shape{32, 16})
		losses <- x.MatMul(w).Square().Mean()
	}
}

func main() {
	w := torch.Randn(torch.Shape{16, 16}).RequiresGrad_()
	jobs, losses := make(chan int64, 8), make(chan *torch.Tensor, 8)
	for range 4 {
		go worker(jobs, losses, w)
	}
	go func() {
		for seed := int64(0); ; seed++ {
			jobs <- seed
		}
	}()
	n, sum := 0, 0.0
	for loss := range losses {
		sum += loss.Item()
		_ = loss.Close()
		if n++; n%1000 == 0 {
			fmt.Println(n, sum/float64(n))
		}
	}
}
