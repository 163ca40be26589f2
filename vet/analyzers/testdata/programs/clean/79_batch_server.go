// Command batch_server answers clients through a batcher, with deadlines, and swaps the
// model while the server is running.
//
// Clean: each request closes its input and result. A replaced model is closed when no
// pass uses it any more, which a lock ensures. Do stops waiting at the deadline, and the
// batcher frees late results.
package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
)

type server struct {
	mu      sync.RWMutex
	model   *nn.Sequential
	batcher *batching.Batcher
	late    atomic.Int64
}

func newModel() *nn.Sequential {
	m := nn.NewSequential(nn.NewLinear(12, 32), nn.NewReLU(), nn.NewLinear(32, 3))
	m.Eval()
	return m
}

func newServer() *server {
	s := &server{model: newModel()}
	s.batcher = batching.NewBatcher(s.forward, batching.MaxBatch(8), batching.MaxDelay(time.Millisecond))
	return s
}

func (s *server) forward(x *torch.Tensor) *torch.Tensor {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.model.Forward(x)
}

func (s *server) swap() {
	next := newModel()
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.model.Close()
	s.model = next
}

func (s *server) handle(limit time.Duration) (class int64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	x := torch.Randn(torch.Shape{12})
	defer x.Close()
	y, err := s.batcher.Do(ctx, x)
	if err != nil {
		s.late.Add(1)
		return 0, err
	}
	defer y.Close()
	torch.Scope(func() { class = y.ArgMax().ItemInt() })
	return class, nil
}

func (s *server) close() {
	_ = s.batcher.Close()
	_ = s.model.Close()
}

func main() {
	torch.ManualSeed(59)
	s := newServer()
	defer s.close()
	var classes [3]atomic.Int64
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for request := range 50 {
				limit := time.Second
				if request%10 == 9 {
					limit = time.Nanosecond
				}
				if class, err := s.handle(limit); err == nil {
					classes[class].Add(1)
				}
				if client == 0 && request%20 == 10 {
					s.swap()
				}
			}
		})
	}
	clients.Wait()
	fmt.Println("classes:", classes[0].Load(), classes[1].Load(), classes[2].Load(), "late:", s.late.Load())
}
