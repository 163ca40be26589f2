package optim_test

import (
	"fmt"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Lion steps by the sign of a running mean of the gradient (Chen et al.,
// Symbolic Discovery of Optimization Algorithms, 2023).
type Lion struct{ *optim.Base }

// NewLion returns a Lion for params.
func NewLion(params []*torch.Tensor, opts ...optim.Option) *Lion {
	defaults := []optim.Option{optim.LR(1e-4), optim.Betas(0.9, 0.99), optim.WeightDecay(0)}
	return &Lion{optim.NewBase("Lion", params, defaults, opts...)}
}

// Step changes every parameter that has a gradient.
func (l *Lion) Step() {
	l.Run(l, nil, func() { // Run calls the hooks, and this function with gradients disabled
		torch.Scope(func() {
			for _, g := range l.ParamGroups() {
				beta1, beta2 := g.Betas()
				for _, p := range g.Params {
					grad := p.Grad()
					if grad == nil {
						continue
					}
					avg := l.StateTensor(p, "exp_avg")
					if avg == nil {
						avg = l.SetState(p, "exp_avg", torch.ZerosLike(p))
					}
					p.MulScalar_(1 - g.LR()*g.WeightDecay())
					update := avg.MulScalar(beta1).Add_(grad.MulScalar(1 - beta1))
					p.Add_(update.Sign_(), torch.Alpha(-g.LR()))
					avg.MulScalar_(beta2).Add_(grad, torch.Alpha(1-beta2))
				}
			}
		})
	})
}

// Your own optimizer needs only a Step over the groups of a Base. The Base provides everything
// else: settings, groups, state dicts, printing and schedulers.
func ExampleNewBase() {
	w := torch.FromSliceWith([]float32{1, -2}, torch.Shape{2}, torch.RequiresGrad(true))
	defer w.Close()
	opt := NewLion([]*torch.Tensor{w}, optim.LR(0.5))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Println(w.Float32s())
	fmt.Println(opt)
	// Output:
	// [-0.5 -0.5]
	// Lion (
	// Parameter Group 0
	//     betas: (0.9, 0.99)
	//     lr: 0.5
	//     weight_decay: 0.0
	// )
}
