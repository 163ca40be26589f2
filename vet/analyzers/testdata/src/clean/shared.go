package clean

import (
	"sync"

	"github.com/gotorch/gotorch/torch"
)

type table struct{ m sync.Map }

func (t *table) fill(n int, w *torch.Tensor) {
	for i := range n {
		t.m.Store(i, w.Mul(w))
	}
}

func (t *table) at(i int) *torch.Tensor {
	v, ok := t.m.Load(i)
	if !ok {
		return nil
	}
	return v.(*torch.Tensor)
}
