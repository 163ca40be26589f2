package distributions

import (
	"sync"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// A lazy is a tensor of a distribution that is computed on first use, as in Python, because the
// order of operators determines the order in which gradients are added. The tensor has gradients
// even in no-grad mode. It is freed together with the tensors that the constructor made. A lazy
// is safe for use by several goroutines. lazy_property in Python.
type lazy struct {
	mu sync.Mutex
	t  *torch.Tensor
}

// of returns the tensor. On first use, it calls fn to compute the tensor.
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

// value returns the tensor, or nil if it has not been computed yet.
func (l *lazy) value() *torch.Tensor {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.t
}

// set sets the tensor for a new distribution, so that it is not computed. Expand calls
// set.
func (l *lazy) set(t *torch.Tensor) { l.t = t }

// mark records an alias of t as a tensor of the distribution if the constructor has
// made no tensor. Lazy values find the scope of the distribution by its first tensor.
func (b *base) mark(t *torch.Tensor) {
	if b.first() == nil {
		b.keep(t.Detach())
	}
}

// first returns the first tensor that the constructor made, or nil.
func (b *base) first() *torch.Tensor {
	b.keeping.Lock()
	defer b.keeping.Unlock()
	if len(b.kept) == 0 {
		return nil
	}
	return b.kept[0]
}
