package soak

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
)

// autocast trains in mixed precision, with a gradient scaler, with or without scopes.
// Some steps overflow, and some panic inside autocast.
func autocast(w *Worker) error {
	t := w.trainer()
	s := amp.NewGradScaler(amp.Device(torch.CPU), amp.GrowthInterval(2), amp.InitScale(1024))
	defer s.Close()
	dtype := pick(w, []torch.DType{torch.BFloat16, torch.Float16})
	value := 0.0
	step := func() {
		batch := pick(w, batches)
		x := torch.Randn(append(torch.Shape{batch}, t.input...))
		target := torch.RandInt(0, 10, torch.Shape{batch})
		var loss *torch.Tensor
		amp.Autocast(torch.CPU, dtype, func() {
			loss = F.CrossEntropy(t.model.Forward(x), target)
			amp.Autocast(torch.CPU, 0, func() { value = loss.Item() }, amp.Enabled(false))
		}, amp.CacheEnabled(w.Rand.IntN(4) > 0))
		t.opt.ZeroGrad()
		if w.Rand.IntN(8) == 0 {
			loss = loss.DivScalar(0)
		}
		s.Scale(loss).Backward()
		s.Step(t.opt)
		s.Update()
		_ = torch.Try(func() {
			amp.Autocast(torch.CPU, dtype, func() { x.MatMul(x.Flatten().Unsqueeze(0)) })
		})
	}
	for range 5 + w.Rand.IntN(10) {
		if w.Rand.IntN(2) == 0 {
			step()
		} else {
			torch.Scope(step)
		}
	}
	return finite("loss", value)
}
