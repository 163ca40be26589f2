package looptensor

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func named(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := w.Mul(w) // want `x is made in every iteration`
		y := x.Sum()  // want `y is made in every iteration`
		sum += y.Item()
		println(sum) // after the last use
	}
	return sum
}

func unnamed(n int, w *torch.Tensor) (sum float64) {
	for range n { sum += w.Sum().Item() } // want `a tensor without a name is made`
	return sum
}

func leaves(n int, w *torch.Tensor) (sum float64) {
	for i := range n {
		x := w.Mul(w) // want `x is made in every iteration`
		v := x.Item()
		if v < 0 {
			continue // only this one
		}
		for range 3 {
			if v > 100 {
				break // the inner loop
			}
		}
		switch {
		case i > 1000:
			break // the switch
		case v > 10:
			sum++
			continue
		}
		if v > 5 {
			break
		}
		sum += v
	}
	return sum
}

func returns(n int, w *torch.Tensor) {
	for range n {
		x := w.Mul(w) // want `x is made in every iteration`
		if v := x.Item(); v > 5 {
			return
		} else if v > 4 {
			break
		}
	}
}

type holder struct{ last, first *torch.Tensor }

func outside(n int, w, last *torch.Tensor, h *holder, c chan *torch.Tensor) int {
	var all []*torch.Tensor
	mean := torch.Rand(2)
	for range n {
		x := w.Mul(w) // want `x is made in every iteration`
		all = append(all, x.Sum(), w)
		last = x.Add(w)
		h.last = x.Add(w)
		h.first = w
		c <- x.Tanh()
		mean = mean.Add(x)
		local := holder{x.Tanh(), w}
		_ = local
	}
	mean.Close()
	return len(all)
}

// These bodies cannot be put into a scope, because their tensors may outlive the body.
func noScope(n int, w *torch.Tensor, use func(*torch.Tensor), h *holder, opt *optim.SGD, anything any) float64 {
	for range n {
		x := w.Mul(w) // want `x is made in every iteration`
		if v := w.Item(); v > 5 {
			return v
		}
		_ = x.Item()
	}
	for range n {
		x := w.Mul(w) // want `x is made in every iteration`
		_ = x.Item()
		use(w)
	}
	for range n {
		x := w.Mul(w) // want `x is made in every iteration`
		go func() { _ = x.Item() }()
	}
	for range n {
		x := w.Mul(w) // want `x is made in every iteration`
		_ = x.Item()
		h.fill(w)
	}
	for range n {
		x := w.Mul(w) // want `x is made in every iteration`
		_ = x.Item()
		opt.AddParamGroup([]*torch.Tensor{w})
	}
	for range n {
		x := w.Mul(w) // want `x is made in every iteration`
		_ = x.Item()
		anything = w.Add(w)
	}
outer:
	for range n {
		for range 2 {
			x := w.Mul(w) // want `x is made in every iteration`
			if x.Item() > 1 {
				continue outer
			}
		}
	}
	return 0
}

func (h *holder) fill(w *torch.Tensor) { h.last = w.Add(w) }

func calls(n int, w *torch.Tensor) {
	for range n {
		step(w)
	}
}

func step(w *torch.Tensor) {
	x := w.Mul(w) // want `x is made in every iteration of the loop at line 129`
	_ = x.Item()
}

// A scope in these loops would free tensors that are used later.

func defersOlder(n int, w *torch.Tensor) (sum float64) {
	v := w.Mul(w)
	for i := range n {
		if i == 0 {
			defer v.Close()
		}
		sum += v.Sum().Item() // want `a tensor without a name is made`
	}
	return sum
}

func copies(n int, w *torch.Tensor) float64 {
	out := make([]*torch.Tensor, 1)
	for range n {
		x := w.Mul(w)
		println(x.Sum().Item()) // want `a tensor without a name is made`
		copy(out, []*torch.Tensor{x})
	}
	return out[0].Item()
}

func ranges(n int, w *torch.Tensor) float64 {
	var last *torch.Tensor
	for range n {
		x := w.Mul(w)
		println(x.Sum().Item()) // want `a tensor without a name is made`
		for _, last = range []*torch.Tensor{x} {
		}
	}
	return last.Item()
}

type box[T any] struct{ v T }

func (b *box[T]) set(v T) { b.v = v }

func boxes(n int, w *torch.Tensor) float64 {
	var b box[*torch.Tensor]
	for range n {
		x := w.Mul(w)
		println(x.Sum().Item()) // want `a tensor without a name is made`
		b.set(x)
	}
	return b.v.Item()
}
