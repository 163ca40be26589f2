package zerograd

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type trainer struct {
	model *nn.Linear
	opt   optim.Optimizer
}

func forgotten(loader *data.Loader, model *nn.Linear, opt *optim.SGD) {
	for batch := range loader.All() {
		loss := F.MSELoss(model.Forward(batch.Input), batch.Target)
		loss.Backward()
		opt.Step() // want `without ZeroGrad`
	}
}

func (t *trainer) forgotten(n int, x, y *torch.Tensor) {
	for range n {
		torch.Scope(func() {
			F.MSELoss(t.model.Forward(x), y).Backward()
			t.opt.Step() // want `without ZeroGrad`
		})
	}
}

func once(opt *optim.SGD, n int, loss func() *torch.Tensor) {
	opt.ZeroGrad()
	x := torch.Rand()
	for range n {
		x.Sum().Backward()
		opt.Step() // want `without ZeroGrad`
	}
}

func patient(opt *optim.SGD, x *torch.Tensor) {
	for patience := 3; patience > 0; {
		x.Sum().Backward()
		opt.Step() // want `without ZeroGrad`
		if x.Item() < 1 {
			patience--
		}
	}
}

func fine(loader *data.Loader, model *nn.Linear, opt optim.Optimizer) {
	for batch := range loader.All() {
		opt.ZeroGrad()
		F.MSELoss(model.Forward(batch.Input), batch.Target).Backward()
		opt.Step()
	}
	for batch := range loader.All() {
		model.ZeroGrad()
		F.MSELoss(model.Forward(batch.Input), batch.Target).Backward()
		opt.Step()
	}
	opt.Step()
}

// Gradients of four batches are meant to add up.
func accumulation(loader *data.Loader, model *nn.Linear, opt optim.Optimizer) {
	i := 0
	for batch := range loader.All() {
		F.MSELoss(model.Forward(batch.Input), batch.Target).Backward()
		if i++; i%4 == 0 {
			opt.Step()
			opt.ZeroGrad()
		}
	}
}

func (t *trainer) zero()  { t.opt.ZeroGrad() }
func (t *trainer) begin() { t.zero() }

func (t *trainer) elsewhere(n int, x *torch.Tensor, before func()) {
	for range n {
		t.begin()
		x.Sum().Backward()
		t.opt.Step()
	}
	for range n {
		before()
		x.Sum().Backward()
		t.opt.Step()
	}
	for range n {
		x.SetGrad(nil)
		x.Sum().Backward()
		t.opt.Step()
	}
	for range 3 {
		x.Sum().Backward()
		t.opt.Step()
	}
}
