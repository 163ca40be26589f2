package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/lr_scheduler"
	"github.com/gotorch/gotorch/torch"
)

// A graphed step of every optimizer is its step: batches of several sizes, a schedule, a group that is added.
func TestGraphedStep(t *testing.T) {
	each(t, func(t *testing.T, m member) {
		type training struct {
			w    *torch.Tensor
			opt  optim.Optimizer
			rate lr_scheduler.Scheduler
		}
		made := func() *training {
			torch.ManualSeed(2)
			w := torch.Randn(torch.Shape{4, 2}).RequiresGrad_(true)
			o := m.fresh(list(w))
			return &training{w, o, lr_scheduler.NewStepLR(o, 4, lr_scheduler.Gamma(0.5))}
		}
		a, b := made(), made()
		defer a.opt.Close()
		defer b.opt.Close()
		forward := func(r *training) func(*torch.Tensor) *torch.Tensor {
			return func(x *torch.Tensor) *torch.Tensor { return x.MatMul(r.w) }
		}
		loss := func(p, y *torch.Tensor) *torch.Tensor { return p.Sub(y).Square().Mean() }
		step := optim.GraphedStep(forward(b), loss, b.opt)
		defer step.Close()
		for i := range 20 {
			torch.Scope(func() {
				n := int64(3 + i%2)
				x, y := torch.Randn(torch.Shape{n, 4}), torch.Randn(torch.Shape{n, 2})
				a.opt.ZeroGrad()
				want := loss(forward(a)(x), y)
				want.Backward()
				a.opt.Step()
				got := step.Call(x, y)[0]
				require.True(t, want.Equal(got) && a.w.Equal(b.w), "step %d", i)
				a.rate.Step()
				b.rate.Step()
			})
		}
		if m.name == "Lion" { // which reads its settings in Go
			require.Len(t, step.Refused(), 1)
			assert.Contains(t, step.Refused()[0], "only the steps of optimizers of package optim are made anew")
			return
		}
		assert.Empty(t, step.Refused())
		assert.Equal(t, 2, step.Len())
	})
}

func TestGraphedStepBadArguments(t *testing.T) {
	w := torch.Ones(torch.Shape{2}).RequiresGrad_(true)
	defer w.Close()
	opt := optim.NewSGD(list(w))
	defer opt.Close()
	forward := func(x *torch.Tensor) *torch.Tensor { return x.Mul(w) }
	loss := func(p, y *torch.Tensor) *torch.Tensor { return p.Sub(y).Mean() }
	for name, call := range map[string]func(){
		"forward":   func() { optim.GraphedStep(nil, loss, opt) },
		"loss":      func() { optim.GraphedStep(forward, nil, opt) },
		"optimizer": func() { optim.GraphedStep(forward, loss, nil) },
		"a nil one": func() { optim.GraphedStep(forward, loss, (*optim.SGD)(nil)) },
		"option":    func() { optim.GraphedStep(forward, loss, opt, nil) },
	} {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, torch.Try(call), torch.ErrNil) })
	}
	step := optim.GraphedStep(forward, loss, opt)
	defer step.Close()
	require.ErrorIs(t, torch.Try(func() { step.Call(w) }), torch.ErrValue)
}
