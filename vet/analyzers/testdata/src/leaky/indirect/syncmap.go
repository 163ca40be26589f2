package indirect

import (
	"sync"

	"github.com/gotorch/gotorch/torch"
)

type results struct{ m sync.Map }

func (r *results) run(n int, w *torch.Tensor) {
	for i := range n {
		r.put(i, w)
	}
}

func (r *results) put(i int, w *torch.Tensor) {
	r.m.Store(i, w.Mul(w)) // leak: growing
}
