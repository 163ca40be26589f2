// A server for federated learning has an optimizer for each client. It closes the
// optimizer when the client leaves.
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
	leave bool
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
	if u.leave {
		s.forget(u.id)
		return
	}
	opt := s.opts[u.id]
	if opt == nil {
		opt = optim.NewAdam(s.model.Parameters(), optim.LR(1e-3))
		s.opts[u.id] = opt
	}
	for i, p := range s.model.Parameters() {
		p.SetGrad(u.grads[i])
	}
	opt.Step()
	opt.ZeroGrad()
}

func (s *server) forget(id string) {
	if opt, ok := s.opts[id]; ok {
		_ = opt.Close()
		delete(s.opts, id)
	}
}

func main() {
	s := &server{model: nn.NewLinear(10, 10), opts: map[string]*optim.Adam{}}
	for n := 0; ; n++ {
		id := fmt.Sprintf("client-%d", n/10)
		s.apply(update{id: id, grads: []*torch.Tensor{torch.Randn(torch.Shape{10, 10}), torch.Randn(torch.Shape{10})}})
		s.apply(update{id: id, leave: n%10 == 9})
	}
}
