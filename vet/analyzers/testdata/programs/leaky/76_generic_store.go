// Command generic_store is a feature server. A generic type caches the results of its
// layers (tokens, projections).
//
// Leaky: memo has a method Forget that is never called, and the key of a projection
// contains the number of the request. So each request adds one projection to a map that
// lives as long as the server, and no entry is ever found again.
package main

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// memo caches the results of a function.
type memo[K comparable, V any] struct {
	mu   sync.Mutex
	made map[K]V
	make func(K) V
	drop func(V)
}

func newMemo[K comparable, V any](mk func(K) V, drop func(V)) *memo[K, V] {
	return &memo[K, V]{made: map[K]V{}, make: mk, drop: drop}
}

func (m *memo[K, V]) Get(k K) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.made[k]
	if !ok {
		v = m.make(k)
		m.made[k] = v // want leak
	}
	return v
}

// Forget drops an entry.
func (m *memo[K, V]) Forget(k K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.made[k]; ok {
		m.drop(v)
		delete(m.made, k)
	}
}

type key struct {
	user    int
	request int // to tell them apart in traces
}

type server struct {
	table    *nn.Embedding
	project  *nn.Linear
	tokens   *memo[int, []int64]
	features *memo[key, *torch.Tensor]
}

func newServer() *server {
	s := &server{table: nn.NewEmbedding(100, 32), project: nn.NewLinear(32, 64)}
	s.tokens = newMemo(func(user int) []int64 {
		return []int64{int64(user), int64(user*7) % 100, int64(user*13) % 100}
	}, func([]int64) {})
	s.features = newMemo(s.compute, func(t *torch.Tensor) { _ = t.Close() })
	return s
}

func (s *server) compute(k key) (f *torch.Tensor) {
	ids := torch.FromSlice(s.tokens.Get(k.user))
	torch.NoGrad(func() { f = s.project.Forward(s.table.Forward(ids).Mean(torch.Dim(0))).Tanh() })
	return torch.Disown(f)
}

func (s *server) similarity(request, a, b int) (cosine float64) {
	torch.Scope(func() {
		x, y := s.features.Get(key{a, request}), s.features.Get(key{b, request})
		cosine = x.Dot(y).Item() / (x.Norm().Item()*y.Norm().Item() + 1e-9)
	})
	return cosine
}

func main() {
	torch.ManualSeed(21)
	s := newServer()
	defer s.table.Close()
	defer s.project.Close()
	total := 0.0
	for request := range 300 {
		total += s.similarity(request, request%20, (request*3)%20)
	}
	fmt.Printf("mean similarity %.4f\n", total/300)
}
