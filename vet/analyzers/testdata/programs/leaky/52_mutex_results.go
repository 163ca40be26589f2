// Workers add their results to a list under a lock. The list is read but never emptied.
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
	r.all = append(r.all, t) // want leak
	r.mu.Unlock()
}

func (r *results) mean() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return torch.Stack(r.all, 0).Mean().Item()
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
		fmt.Println(r.mean())
	}
}
