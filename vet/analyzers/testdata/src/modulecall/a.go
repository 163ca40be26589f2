package modulecall

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type net struct {
	nn.Base
	fc *nn.Linear
}

func (n *net) Forward(x *torch.Tensor) *torch.Tensor { // want `does not go through Call`
	y := n.fc.Forward(x)
	return y.Add(x)
}

type wrapped struct{ *nn.Linear }

func (w wrapped) Forward(x *torch.Tensor) *torch.Tensor { // want `does not go through Call`
	return w.Linear.Forward(x).Add(x)
}

type good struct {
	nn.Base
	fc *nn.Linear
}

func (g *good) Forward(x *torch.Tensor) *torch.Tensor {
	return g.Call(x, func(x *torch.Tensor) *torch.Tensor { return g.fc.Forward(x).Add(x) })
}

type pair struct{ nn.Base }

func (p *pair) Forward(x, y *torch.Tensor) *torch.Tensor {
	out := p.CallN([]*torch.Tensor{x, y}, func(in []*torch.Tensor) []*torch.Tensor { return in })
	return out[0]
}

type product struct{ nn.Base }

func (p *product) Forward(x, y *torch.Tensor) *torch.Tensor {
	return p.Call2(x, y, func(x, y *torch.Tensor) *torch.Tensor { return x.Add(y) })
}

// The work may be elsewhere.
type split struct{ good }

func (s *split) Forward(x *torch.Tensor) *torch.Tensor {
	if x == nil {
		return nil
	}
	return s.run(x)
}

func (s *split) run(x *torch.Tensor) *torch.Tensor {
	return s.Call(x, func(x *torch.Tensor) *torch.Tensor { return x })
}

// A wrapper of a module that uses Call.
type same struct{ *good }

func (s *same) Forward(x *torch.Tensor) *torch.Tensor { return s.good.Forward(x) }

type twice struct{ *good }

func (s *twice) Forward(x *torch.Tensor) *torch.Tensor { return s.good.Forward(s.good.Forward(x)) } // want `does not go through Call`

// Calling the Forward of a different module is not a call of this module.
type field struct {
	nn.Base
	fc *nn.Linear
	d  *nn.Linear
}

func (f *field) Forward(x *torch.Tensor) *torch.Tensor { return f.fc.Forward(x) } // want `does not go through Call`

type chain struct{ field }

func (c *chain) Forward(x *torch.Tensor) *torch.Tensor { // want `does not go through Call`
	return c.d.Forward(c.fc.Forward(x).Add(x))
}

// The embedded layer's Forward runs no hooks.
type layer struct{ *nn.Linear }

func (l *layer) Forward(x *torch.Tensor) *torch.Tensor { return l.Linear.Forward(x) } // want `does not go through Call`

// No modules, or no Forward.
type function struct{}

func (function) Forward(x *torch.Tensor) *torch.Tensor { return x.Add(x) }

func (n *net) Features(x *torch.Tensor) *torch.Tensor { return x.Add(x) }

func Forward(x *torch.Tensor) *torch.Tensor { return x.Add(x) }

type meant struct{ nn.Base }

//torchvet:ignore modulecall a test of what then happens
func (m *meant) Forward(x *torch.Tensor) *torch.Tensor { return x.Add(x) }
