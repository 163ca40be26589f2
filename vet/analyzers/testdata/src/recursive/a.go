// Package recursive has functions that call themselves and each other.
package recursive

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var (
	all    []*torch.Tensor
	byName = map[string]*torch.Tensor{}
)

type box struct {
	t    *torch.Tensor
	list []*torch.Tensor
	next *box
	f    func(x *torch.Tensor) *torch.Tensor
}

// Results.
func unnamed(n int, x *torch.Tensor) *torch.Tensor {
	if n == 0 {
		return torch.Ones(torch.Shape{1})
	}
	return unnamed(n-1, x)
}

func namedResult(n int, x *torch.Tensor) (y *torch.Tensor) {
	if n == 0 {
		return x
	}
	return namedResult(n-1, x)
}

func namedBare(n int, x *torch.Tensor) (y *torch.Tensor) {
	y = namedBare(n-1, x)
	return
}

func ping(n int, x *torch.Tensor) (y *torch.Tensor) { return pong(n, x) }
func pong(n int, x *torch.Tensor) (y *torch.Tensor) { return ping(n-1, x) }

func two(n int, x *torch.Tensor) (y, z *torch.Tensor) {
	if n > 0 {
		return two(n-1, x)
	}
	return x, x
}

func swap(n int, x, y *torch.Tensor) (*torch.Tensor, *torch.Tensor) { return swap(n-1, y, x) }

// Parameters.
func take(n int, x *torch.Tensor) {
	all = append(all, x)
	byName["a"] = x
	give(n, x)
}
func give(n int, x *torch.Tensor) { take(n-1, x.Add(x)) }

func takeBox(n int, b *box, x *torch.Tensor) {
	b.list = append(b.list, x)
	b.t = x
	b.next = &box{t: x, next: b}
	giveBox(n, b.next, x)
}

func giveBox(n int, b *box, x *torch.Tensor) {
	takeBox(n-1, b, b.t)
	takeBox(n, &box{t: b.t, f: b.f}, x)
}

func key(n int, k string, x *torch.Tensor)  { byName[k] = torch.Ones(torch.Shape{1}); key2(n, k+"a", x) }
func key2(n int, k string, x *torch.Tensor) { key(n, k, x) }

func fills(list *[]*torch.Tensor, n int) {
	*list = append(*list, torch.Ones(torch.Shape{1}))
	fills2(list, n)
}
func fills2(list *[]*torch.Tensor, n int) { fills(list, n) }

func closes(n int, x *torch.Tensor)  { closes2(n, x) }
func closes2(n int, x *torch.Tensor) { closes(n, x); x.Close() }

// Function values.
func (b *box) run(x *torch.Tensor) *torch.Tensor {
	b.f = func(x *torch.Tensor) *torch.Tensor { return b.run(x) }
	return b.f(x)
}

type (
	runner interface {
		step(x *torch.Tensor) *torch.Tensor
	}
	a struct{ r runner }
	c struct{ r runner }
)

func (v a) step(x *torch.Tensor) *torch.Tensor { return v.r.step(x) }
func (v c) step(x *torch.Tensor) *torch.Tensor { return v.r.step(x.Add(x)) }

func chain(fs []func() *torch.Tensor) func() *torch.Tensor {
	f := func() *torch.Tensor { return nil }
	f = func() *torch.Tensor { return f() }
	for range fs {
		g := f
		f = func() *torch.Tensor { return g() }
	}
	return f
}

func params(ps []*torch.Tensor, n int)  { params2(ps, n) }
func params2(ps []*torch.Tensor, n int) { params(ps, n); _ = ps[0].Mul(ps[0]) }

func list(l nn.Layer, n int) []*torch.Tensor {
	if n > 0 {
		return list2(l, n)
	}
	return nil
}

func list2(l nn.Layer, n int) []*torch.Tensor {
	return append(list(l, n-1), torch.Ones(torch.Shape{1}))
}

type node struct {
	left, right *node
	t           *torch.Tensor
}

func (n *node) sum() *torch.Tensor {
	if n == nil {
		return torch.Ones(torch.Shape{1})
	}
	return n.left.sum().Add(n.right.sum())
}

func (n *node) fill(x *torch.Tensor) {
	n.t = x
	n.left.fill(n.right.t)
	n.right.fill(n.left.t)
}

func Loop(l nn.Layer, n int, x, h *torch.Tensor) {
	b := &box{}
	nd := &node{}
	for i := range n {
		out := l.Forward(x)
		out.Backward()
		h = namedResult(i, h)
		h = namedBare(i, h)
		h = ping(i, h)
		h, _ = two(i, h)
		h, out = swap(i, h, out)
		h = unnamed(i, h)
		h = b.run(h)
		h = a{}.step(h)
		h = chain(nil)()
		take(i, out)
		takeBox(i, b, out)
		key(i, "k", out)
		fills(&all, i)
		closes(i, out)
		params(list(l, i), i)
		nd.fill(out)
		all = append(all, nd.sum(), namedResult(i, out), ping(i, out))
		for _, p := range list(l, i) {
			all = append(all, p)
		}
	}
}
