// Workers add their results to a list under a lock, and a reader takes the list away.
package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type results struct {
	mu  sync.Mutex
	all []*torch.Tensor
}

func (r *results) put(t *torch.Tensor) {
	r.mu.Lock()
	r.all = append(r.all, t)
	r.mu.Unlock()
}

func (r *results) take() []*torch.Tensor {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.all
	r.all = nil
	return out
}

func main() {
	model := nn.NewLinear(20, 1)
	model.Eval()
	r := &results{}
	for range 8 {
		go func() {
			for {
				torch.NoGrad(func() { r.put(model.Forward(torch.Randn(torch.Shape{20}))) })
			}
		}()
	}
	for range time.Tick(time.Second) {
		batch := r.take()
		fmt.Println(torch.Stack(batch, 0).Mean().Item())
		for _, t := range batch {
			_ = t.Close()
		}
	}
}
