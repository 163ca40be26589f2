// Workers send their losses over a channel, and the collector keeps them all.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func worker(id int, jobs <-chan int64, losses chan<- *torch.Tensor, w *torch.Tensor) {
	for seed := range jobs {
		torch.ManualSeed(uint64(seed))
		x := torch.Randn(torch.Shape{32, 16})
		losses <- x.MatMul(w).Square().Mean()
		_ = id
	}
}

func main() {
	w := torch.Randn(torch.Shape{16, 16}).RequiresGrad_()
	jobs, losses := make(chan int64, 8), make(chan *torch.Tensor, 8)
	for i := range 4 {
		go worker(i, jobs, losses, w)
	}
	go func() {
		for seed := int64(0); ; seed++ {
			jobs <- seed
		}
	}()
	var all []*torch.Tensor
	for loss := range losses {
		all = append(all, loss) // want leak
		if len(all)%1000 == 0 {
			fmt.Println(len(all), torch.Stack(all[len(all)-1000:], 0).Mean().Item())
		}
	}
}
