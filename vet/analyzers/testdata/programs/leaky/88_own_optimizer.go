// Command own_optimizer trains with Lion, an optimizer written in Go.
//
// Leaky: a map from parameter to tensor contains the momentum, but the key is the pointer
// that Data returns, which is a new handle in each step. So no step finds an old
// momentum, and every step adds a momentum per parameter, with a key that keeps its
// handle alive.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// rule updates a parameter from its gradient.
type rule interface {
	apply(values, grad *torch.Tensor)
}

type lion struct {
	lr, beta1, beta2 float64
	momentum         map[*torch.Tensor]*torch.Tensor
}

func newLion(lr float64) *lion {
	return &lion{lr, 0.9, 0.99, map[*torch.Tensor]*torch.Tensor{}}
}

func (l *lion) apply(values, grad *torch.Tensor) {
	m, ok := l.momentum[values]
	if !ok {
		m = torch.Disown(torch.ZerosLike(values))
		l.momentum[values] = m // want leak
	}
	direction := m.LerpScalar(grad, 1-l.beta1).Sign()
	values.Sub_(direction.MulScalar(l.lr))
	m.LerpScalar_(grad, 1-l.beta2)
}

// stepper updates all parameters of a model with a rule.
type stepper struct {
	params []*torch.Tensor
	rule   rule
}

func (s *stepper) zero() { torch.ZeroGrad(s.params...) }

func (s *stepper) step() {
	torch.NoGrad(func() {
		for _, p := range s.params {
			if g := p.Grad(); g != nil {
				s.rule.apply(p.Data(), g)
			}
		}
	})
}

func main() {
	torch.ManualSeed(33)
	model := nn.NewSequential(nn.NewLinear(9, 32), nn.NewReLU(), nn.NewLinear(32, 3))
	defer model.Close()
	opt := &stepper{model.Parameters(), newLion(1e-3)}
	for step := range torch.ScopedRange(150) {
		x := torch.Randn(torch.Shape{32, 9})
		y := x.Narrow(1, 0, 3).ArgMax(torch.Dim(1))
		opt.zero()
		loss := F.CrossEntropy(model.Forward(x), y)
		loss.Backward()
		opt.step()
		if step%50 == 49 {
			fmt.Printf("step %d: loss %.4f\n", step+1, loss.Item())
		}
	}
}
