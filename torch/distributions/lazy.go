package distributions

import (
	"sync"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// A lazy is a tensor of a distribution that is computed on first use, since the order of
// operators determines the order in which gradients are added. It has gradients in any
// mode, and is freed with what the constructor made. It is safe for use by several
// goroutines. lazy_property in Python.
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
			panic(torch.NewError("distributions."+b.name, torch.ErrClosed, "d",
				"the scope in which the distribution was made has ended"))
		}
		var t *torch.Tensor
		torch.EnableGrad(func() { t = torch.Tidy(fn) })
		own.Join(t, first)
		l.t = b.keep(t)
	}
	return l.t
}

// value returns the tensor, or nil if nothing has asked for it yet.
func (l *lazy) value() *torch.Tensor {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.t
}

// set is for a new distribution that has the tensor already.
func (l *lazy) set(t *torch.Tensor) { l.t = t }

// mark makes a constructor without tensors keep one that shares t's memory, which tells
// lazies their scope.
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
