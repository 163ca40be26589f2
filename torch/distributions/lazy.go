package distributions

import (
	"sync"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// A lazy is a tensor of a distribution that is computed at its first use, since the order in
// which operators are called decides in which order gradients are added. It has gradients
// whatever the mode is then, and ends with what the constructor made. Goroutines may ask for it
// at once. lazy_property in Python.
type lazy struct {
	mu sync.Mutex
	t  *torch.Tensor
}

// of is the tensor, which fn computes.
func (l *lazy) of(b *base, fn func() *torch.Tensor) *torch.Tensor {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.t == nil {
		first := b.first()
		if first.IsClosed() {
			panic(torch.NewError("distributions."+b.name, torch.ErrClosed, "d", "the scope that the distribution was made in has ended"))
		}
		var t *torch.Tensor
		torch.EnableGrad(func() { t = torch.Tidy(fn) })
		own.Join(t, first)
		l.t = b.keep(t)
	}
	return l.t
}

// made is the tensor, nil if nobody has asked for it.
func (l *lazy) made() *torch.Tensor {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.t
}

// set is for a new distribution that has the tensor already.
func (l *lazy) set(t *torch.Tensor) { l.t = t }

// mark has a constructor that has made no tensor keep one that shares t's memory: it tells
// lazies which scope they belong to.
func (b *base) mark(t *torch.Tensor) {
	if b.first() == nil {
		b.keep(t.Detach())
	}
}

// first is the first tensor that the constructor made.
func (b *base) first() *torch.Tensor {
	b.keeping.Lock()
	defer b.keeping.Unlock()
	if len(b.kept) == 0 {
		return nil
	}
	return b.kept[0]
}
