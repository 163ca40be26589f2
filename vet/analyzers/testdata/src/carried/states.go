package carried

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Layers are not steps.
func layers(all []nn.Layer, x *torch.Tensor) float64 {
	h := x
	for _, l := range all {
		h = l.Forward(h)
	}
	for i := range all {
		h = all[i].Forward(h).Tanh()
	}
	return h.Sum().Item()
}

func chunks(n int, rnn *nn.LSTM, x *torch.Tensor) {
	var h, c *torch.Tensor
	for range n {
		var out *torch.Tensor
		out, h, c = rnn.Forward(x, h, c) // want `h is carried from step to step`
		_ = out.Item()
	}
	var g, k *torch.Tensor
	for range n {
		out, gn, kn := rnn.Forward(x, g, k)
		_ = out.Item()
		g, k = gn.Detach(), kn.Detach()
	}
}

type pair struct{ h, c *torch.Tensor }

func advance(rnn *nn.LSTM, x *torch.Tensor, s pair) pair {
	_, h, c := rnn.Forward(x, s.h, s.c)
	return pair{h, c}
}

func detached(rnn *nn.LSTM, x *torch.Tensor, s pair) pair {
	_, h, c := rnn.Forward(x, s.h, s.c)
	return pair{h.Detach(), c.Detach()}
}

func structs(n int, rnn *nn.LSTM, x *torch.Tensor) {
	var s, d pair
	for range n {
		s = advance(rnn, x, s) // want `s is carried from step to step`
		d = detached(rnn, x, d)
		_ = s.h.Item() + d.h.Item()
	}
}

type shadow struct{ weights map[string]*torch.Tensor }

func (s *shadow) update(m *nn.Linear) {
	for _, p := range m.NamedParameters() {
		s.weights[p.Name] = s.weights[p.Name].Add(p.Tensor) // want `carried from step to step`
	}
}

func (s *shadow) quiet(m *nn.Linear) {
	torch.NoGrad(func() {
		for _, p := range m.NamedParameters() {
			s.weights[p.Name] = s.weights[p.Name].Add(p.Tensor)
		}
	})
}

func averages(n int, m *nn.Linear, a, b *shadow) {
	for range n {
		a.update(m)
		b.quiet(m)
	}
}
