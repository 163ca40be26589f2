// Command lion trains with an optimizer written in Go, which has momentum and a slow copy
// of the weights (lookahead).
//
// Clean: the state has one entry per parameter, with the parameter itself as the key. The
// state is updated in place, and close frees it.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

type state struct{ momentum, slow *torch.Tensor }

type lion struct {
	params           []*torch.Tensor
	lr, beta1, beta2 float64
	every, steps     int
	states           map[*torch.Tensor]*state
}

func newLion(params []*torch.Tensor, lr float64) *lion {
	return &lion{params: params, lr: lr, beta1: 0.9, beta2: 0.99, every: 5, states: map[*torch.Tensor]*state{}}
}

func (l *lion) zeroGrad() { torch.ZeroGrad(l.params...) }

func (l *lion) state(p *torch.Tensor) *state {
	s := l.states[p]
	if s == nil {
		s = &state{torch.Disown(torch.ZerosLike(p)), torch.Disown(p.Detach().Clone())}
		l.states[p] = s
	}
	return s
}

func (l *lion) step() {
	l.steps++
	torch.NoGrad(func() {
		torch.Scope(func() {
			for _, p := range l.params {
				if g := p.Grad(); g != nil {
					l.update(p, g)
				}
			}
		})
	})
}

func (l *lion) update(p, grad *torch.Tensor) {
	s := l.state(p)
	p.Sub_(s.momentum.LerpScalar(grad, 1-l.beta1).Sign().MulScalar(l.lr))
	s.momentum.LerpScalar_(grad, 1-l.beta2)
	if l.steps%l.every == 0 {
		s.slow.LerpScalar_(p, 0.5)
		p.Copy_(s.slow)
	}
}

func (l *lion) close() {
	for _, s := range l.states {
		_ = s.momentum.Close()
		_ = s.slow.Close()
	}
	clear(l.states)
}

func main() {
	torch.ManualSeed(63)
	model := nn.NewSequential(nn.NewLinear(9, 32), nn.NewReLU(), nn.NewLinear(32, 3))
	defer model.Close()
	opt := newLion(model.Parameters(), 3e-3)
	defer opt.close()
	for step := range torch.ScopedRange(200) {
		x := torch.Randn(torch.Shape{32, 9})
		y := x.Narrow(1, 0, 3).ArgMax(torch.Dim(1))
		opt.zeroGrad()
		loss := F.CrossEntropy(model.Forward(x), y)
		loss.Backward()
		opt.step()
		if step%50 == 49 {
			fmt.Printf("step %d: loss %.4f\n", step+1, loss.Item())
		}
	}
}
