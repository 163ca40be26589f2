// A server for federated learning creates an optimizer for every update, under the
// update's ID.
package main

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type update struct {
	id    string
	grads []*torch.Tensor
}

type server struct {
	mu    sync.Mutex
	model *nn.Linear
	opts  map[string]*optim.Adam
}

func (s *server) apply(u update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	opt := s.opts[u.id]
	if opt == nil {
		opt = optim.NewAdam(s.model.Parameters(), optim.LR(1e-3))
		s.opts[u.id] = opt // want leak
	}
	for i, p := range s.model.Parameters() {
		p.SetGrad(u.grads[i])
	}
	opt.Step()
	opt.ZeroGrad()
}

func main() {
	s := &server{model: nn.NewLinear(10, 10), opts: map[string]*optim.Adam{}}
	updates := make(chan update)
	go func() {
		for n := 0; ; n++ {
			updates <- update{fmt.Sprintf("client-%d", n), []*torch.Tensor{torch.Randn(torch.Shape{10, 10}), torch.Randn(torch.Shape{10})}}
		}
	}()
	for u := range updates {
		s.apply(u)
	}
}
