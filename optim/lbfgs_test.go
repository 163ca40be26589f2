package optim_test

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// rosenbrock returns a closure that computes the Rosenbrock function of two numbers.
func rosenbrock(o optim.Optimizer, p *torch.Tensor) func() *torch.Tensor {
	return func() *torch.Tensor {
		o.ZeroGrad()
		x, y := p.Select(0, 0), p.Select(0, 1)
		a, b := y.Sub(x.Mul(x)), x.Neg().AddScalar(1)
		loss := a.Mul(a).MulScalar(100).Add(b.Mul(b))
		loss.Backward()
		return loss
	}
}
