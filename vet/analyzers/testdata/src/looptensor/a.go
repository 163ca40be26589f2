package looptensor

import (
	"slices"
	"sync"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func leaks(n int, w *torch.Tensor, m nn.Layer) (sum float64) {
	for range n {
		x := torch.Rand(2) // want `x is made in every iteration`
		y := x.Add(w)      // want `y is made in every iteration`
		sum += y.Sum().Item()
	}
	for i := 0; i < n; i++ {
		z := m.Forward(w) // want `z is made in every iteration`
		torch.NoGrad(func() {
			z.Add_(w)
		})
	}
	for _, i := range slices.Repeat([]int{1}, n) {
		x := torch.Rand(int64(i)) // want `x is made in every iteration`
		sum += x.Item()
	}
	go func() {
		for range n {
			x := torch.Rand(2) // want `x is made in every iteration`
			sum += x.Item()
		}
	}()
	for queue := make([]int, n); len(queue) > 0; queue = queue[1:] {
		x := torch.Rand(2) // want `x is made in every iteration`
		sum += x.Item()
	}
	for patience := 3; patience > 0; {
		x := torch.Rand(2) // want `x is made in every iteration`
		if x.Item() < 0.5 {
			patience--
		}
	}
	for 0 != n {
		x := torch.Rand(2) // want `x is made in every iteration`
		n -= int(x.Item())
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for range n {
			x := torch.Rand(2) // want `x is made in every iteration`
			sum += x.Item()
		}
	})
	return sum
}

func scoped(n int, w *torch.Tensor, loader *data.Loader) (sum float64) {
	for range n {
		torch.Scope(func() {
			x := torch.Rand(2)
			sum += x.Item()
		})
		y := torch.Tidy(func() *torch.Tensor {
			x := torch.Rand(2)
			return x.Add(x)
		})
		sum += y.Item()
		y.Close()
	}
	for batch := range loader.All() {
		x := batch.Input.Add(w)
		sum += x.Item()
		inner(n, w)
	}
	torch.Scope(func() {
		for range n {
			x := torch.Rand(2)
			sum += x.Item()
		}
	})
	torch.Scope(helped)
	return sum
}

// inner, and the functions that it calls, run in a step of the loader.
func inner(n int, w *torch.Tensor) {
	for range n {
		x := w.Add(w)
		_ = x.Item()
	}
	deeper(n)
}

func deeper(n int) {
	for range n {
		x := torch.Rand(2)
		_ = x.Item()
	}
}

func helped() {
	for i := 0; ; i++ {
		x := torch.Rand(2)
		_ = x.Item()
	}
}

type holder struct{ t *torch.Tensor }

func elsewhere(n int, h *holder, c chan *torch.Tensor, use func(*torch.Tensor), each func(func())) {
	var all []*torch.Tensor
	var last *torch.Tensor
	for range n {
		a := torch.Rand(2)
		all = append(all, a)
		b := torch.Rand(2)
		h.t = b
		d := torch.Rand(2)
		c <- d
		e := torch.Rand(2)
		use(e)
		f := torch.Rand(2)
		last = f.Add_(a)
		g := torch.Rand(2)
		defer g.Close()
		i := torch.Rand(2)
		defer func() { _ = i.Close() }()
		j := torch.Rand(2)
		k := &holder{j}
		_ = k
		l := torch.Rand(2)
		if n > 2 {
			l.Close()
		}
		each(func() {
			x := torch.Rand(2)
			_ = x.Item()
		})
		_ = torch.Keep(a)
		m := torch.Rand(2)
		torch.Disown(m)
		o := torch.Disown(torch.Rand(2))
		_ = o.Item()
	}
	_ = last
}

// The caller's scope determines when the temporaries are freed.
func compute(n int, x *torch.Tensor) *torch.Tensor {
	for range n {
		y := x.Add(x)
		x = y.Add(y)
	}
	return x
}

func few() (sum float64) {
	for range 10 {
		x := torch.Rand(2)
		sum += x.Item()
	}
	for i := 0; 10 > i; i++ {
		x := torch.Rand(2)
		sum += x.Item()
	}
	for i := 10; i >= 0; i-- {
		x := torch.Rand(2)
		sum += x.Item()
	}
	for _, n := range []int64{1, 2} {
		x := torch.Rand(n)
		sum += x.Item()
	}
	cases := []struct{ n int64 }{{1}, {2}}
	for _, c := range cases {
		x := torch.Rand(c.n)
		sum += x.Item()
	}
	for {
		x := torch.Rand(2)
		sum += x.Item()
		break
	}
	return sum
}

type module struct{ nn.Base }

// Each call of a module has its own scope.
func (m *module) Forward(x *torch.Tensor, n int) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		for range n {
			y := torch.Rand(2)
			y.Add_(x)
		}
		return x
	})
}
