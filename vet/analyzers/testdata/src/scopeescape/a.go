package scopeescape

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type holder struct{ last *torch.Tensor }

func escapes(x *torch.Tensor, n int) float64 {
	var y *torch.Tensor
	torch.Scope(func() {
		y = x.Add(x) // want `freed at the end of its scope and used after it at line 16`
	})
	z := y.Item()
	var outs []*torch.Tensor
	for range n {
		torch.Scope(func() {
			t := x.Add(x)
			outs = append(outs, t) // want `freed at the end of its scope`
		})
	}
	return z + torch.Stack(outs, 0).Sum().Item()
}

func escapesALoop(x *torch.Tensor, n int) float64 {
	var outs []*torch.Tensor
	for range torch.ScopedRange(n) {
		t := x.Add(x)
		outs = append(outs, t) // want `freed at the end of its scope`
	}
	return torch.Stack(outs, 0).Sum().Item()
}

func result(x *torch.Tensor) (y *torch.Tensor) {
	torch.Scope(func() {
		t := x.Add(x)
		y = t.Add(t) // want `freed at the end of its scope`
	})
	return
}

func returned(x *torch.Tensor, h *holder) *torch.Tensor {
	torch.Tidy(func() *torch.Tensor {
		h.last = x.Add(x) // want `freed at the end of its scope`
		return h.last.Add(x)
	})
	return h.last
}

func loader(l *data.Loader, m nn.Layer) float64 {
	var last *torch.Tensor
	for batch := range l.All() {
		last = m.Forward(batch.Input) // want `freed at the end of its scope`
	}
	return last.Item()
}

func disowned(l *data.Loader, m nn.Layer, h *holder) float64 {
	var last *torch.Tensor
	var all []*torch.Tensor
	for batch := range l.All() {
		last = torch.Disown(m.Forward(batch.Input).Detach())
		y := m.Forward(batch.Input)
		h.last = y
		torch.Disown(y)
		all = append(all, torch.Disown(y.Add(y)))
	}
	var closed *torch.Tensor
	torch.Scope(func() { closed = last.Add(last) })
	torch.Disown(closed)
	return last.Item() + h.last.Item() + torch.Stack(all, 0).Item()
}

func fine(x *torch.Tensor, l *data.Loader, h *holder, use func(*torch.Tensor)) float64 {
	var a, b, c, d, e, f, g *torch.Tensor
	var outs, kept []*torch.Tensor
	total := 0.0
	torch.Scope(func() {
		a = torch.Keep(x.Add(x))
		b = x.Add(x)
		torch.Keep(b)
		t := x.Add(x)
		c = torch.Keep(t)
		d = torch.Disown(x.Add(x))
		e = x.Add(x)
		total += e.Item()
		f = x.Add(x)
		g = x
		h.last = x.Add(x)
		u := x.Add(x)
		outs = append(outs, u)
		total += torch.Stack(outs, 0).Item()
	})
	torch.Scope(func() {
		kept = append(kept, x.Add(x), x)
		for _, k := range kept {
			torch.Keep(k)
		}
	})
	_ = e.IsClosed()
	f = x.Add(x)
	use(h.last)
	outs = nil
	defer func() { e.Item() }()
	y := torch.Tidy(func() *torch.Tensor { return x.Add(x) })
	var z *torch.Tensor
	z = torch.Tidy(func() *torch.Tensor {
		z = x.Add(x)
		return z.Add(x)
	})
	total += z.Item()
	return total + a.Item() + b.Item() + c.Item() + d.Item() + f.Item() + g.Item() + y.Item() + torch.Stack(kept, 0).Item()
}
